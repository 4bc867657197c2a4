import type { HostMethod, HostMethods, WireError } from './bridge.ts';
import type { Send } from './guest-link.ts';
import { messageSize } from './message-size.ts';
import {
  ArrayPrototypeJoin,
  ArrayPrototypeSlice,
  ObjectCreate,
  PrimordialError,
  PrimordialPromise,
  StringPrototypeSplit,
} from './primordials.ts';
import { fromWire } from './wire-errors.ts';

/** When this much is being sent, further calls wait in the isolate, whose memory is limited. */
const WINDOW_BYTES = 16 * 1024 * 1024;
const WINDOW_CALLS = 256;

interface PendingCall {
  size: number;
  start(): void;
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Sends calls to the host and waits for their responses. Any number of calls may be running. */
export class HostCalls {
  readonly #send: Send;
  /** Every unanswered call by its id. Calls from `#nextToStart` on have not been sent yet. */
  readonly #calls = ObjectCreate(null) as Record<number, PendingCall>;
  #nextId = 1;
  #nextToStart = 1;
  #callsUnderWay = 0;
  #bytesUnderWay = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  call<M extends HostMethod>(method: M, args: HostMethods[M]['args']): Promise<HostMethods[M]['result']> {
    return this.#enqueue(messageSize(args, WINDOW_BYTES), (id) => this.#send('call', id, method, args));
  }

  /** Log lines use the same limit; the worker acknowledges them. */
  sendLogs(entries: unknown[]): Promise<void> {
    return this.#enqueue(messageSize(entries, WINDOW_BYTES), (id) => this.#send('logs', id, entries));
  }

  /** Takes the response to a call. A late response is ignored. */
  settle(id: number, ok: boolean, value: unknown): void {
    const call = id < this.#nextToStart ? this.#calls[id] : undefined;
    if (!call) return;
    delete this.#calls[id];
    this.#callsUnderWay--;
    this.#bytesUnderWay -= call.size;
    // Each call waits for its own type, and the worker answers in the type of the method (host-methods.ts).
    if (ok) call.resolve(value as never);
    else call.reject(fromWire(value as WireError));
    this.#startWaiting();
  }

  #enqueue<T>(size: number, send: (id: number) => void): Promise<T> {
    const origin = new PrimordialError();
    return new PrimordialPromise<T>((resolve, rejectPromise) => {
      const id = this.#nextId++;
      const reject = (error: Error): void => rejectPromise(asThrownAt(origin, error));
      this.#calls[id] = { size, start: () => send(id), resolve, reject };
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let call = this.#calls[this.#nextToStart]; call && this.#hasRoom(call.size); ) {
      this.#nextToStart++;
      this.#callsUnderWay++;
      this.#bytesUnderWay += call.size;
      call.start();
      call = this.#calls[this.#nextToStart];
    }
  }

  #hasRoom(size: number): boolean {
    if (this.#callsUnderWay === 0) return true;
    return this.#callsUnderWay < WINDOW_CALLS && this.#bytesUnderWay + size <= WINDOW_BYTES;
  }
}

/** Gives an error of the host the stack of the call in the function, which is the place that the author can change. */
function asThrownAt(origin: Error, error: Error): Error {
  const lines = typeof origin.stack === 'string' ? StringPrototypeSplit(origin.stack, '\n') : [];
  error.stack = `${error.name}: ${error.message}\n${ArrayPrototypeJoin(ArrayPrototypeSlice(lines, 1), '\n')}`;
  return error;
}
