import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type ServerMessage, type ShellMessage, serverMessage } from '../../server/contract/shell-messages.ts';

export type ReadyMessage = Extract<ServerMessage, { type: 'ready' }>;
export type FailedMessage = Extract<ServerMessage, { type: 'failed' }>;

/** How one server process ended. */
export interface ServerExit {
  code: number | null;
  /** What the server reported before it ended, if anything. */
  failure: FailedMessage | undefined;
  wasReady: boolean;
}

export interface ServerChildOptions {
  process: ChildProcess;
  readyLimitMs: number;
  stopLimitMs: number;
  onReady: (message: ReadyMessage) => void;
  onExit: (exit: ServerExit) => void;
  /** A command asked the server to stop; it is about to end. */
  onQuit: () => void;
}

/** One server process from start to end: its messages, and the limits on starting and stopping. */
export class ServerChild {
  readonly #process: ChildProcess;
  readonly #options: ServerChildOptions;
  readonly #readyTimer: NodeJS.Timeout;
  readonly #linkRequests = new Map<number, PromiseWithResolvers<string>>();
  #ready = false;
  #failure: FailedMessage | undefined;
  #hasEnded = false;

  constructor(options: ServerChildOptions) {
    this.#options = options;
    this.#process = options.process;
    this.#readyTimer = setTimeout(() => this.#giveUp(), options.readyLimitMs);
    this.#process.on('message', (message) => this.#receive(message));
    this.#process.once('exit', (code) => this.#end(code));
    // For a program that cannot be started, Node emits `error` and never `exit`.
    this.#process.once('error', (error) => {
      this.#failure ??= { type: 'failed', code: 'start_failed', message: error.message };
      if (this.#process.pid === undefined) this.#end(null);
    });
  }

  /** Resolves to a new one-time address that opens a dashboard session. */
  requestLoginLink(): Promise<string> {
    const requestId = this.#linkRequests.size === 0 ? 1 : Math.max(...this.#linkRequests.keys()) + 1;
    const request = Promise.withResolvers<string>();
    this.#linkRequests.set(requestId, request);
    this.#send({ type: 'loginLink', requestId });
    return request.promise;
  }

  /** Asks the server to stop and kills it after a time limit. Resolves when the process has ended. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), this.#options.stopLimitMs);
    const gone = once(this.#process, 'exit');
    this.#send({ type: 'stop' });
    await gone;
    clearTimeout(killer);
  }

  #send(message: ShellMessage): void {
    // A closed channel means that the process is ending; `exit` reports it.
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  #receive(raw: unknown): void {
    const parsed = serverMessage.safeParse(raw);
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.type === 'failed') this.#failure = message;
    else if (message.type === 'loginLink') this.#answerLink(message.requestId, message.url);
    else if (message.type === 'quit') this.#options.onQuit();
    else if (!this.#ready) {
      this.#ready = true;
      clearTimeout(this.#readyTimer);
      this.#options.onReady(message);
    }
  }

  #answerLink(requestId: number, url: string): void {
    this.#linkRequests.get(requestId)?.resolve(url);
    this.#linkRequests.delete(requestId);
  }

  #giveUp(): void {
    const message = `The server did not get ready within ${this.#options.readyLimitMs / 1000} s.`;
    this.#failure ??= { type: 'failed', code: 'start_failed', message };
    this.#process.kill('SIGKILL');
  }

  #end(code: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#readyTimer);
    for (const request of this.#linkRequests.values()) request.reject(new Error('The server has stopped.'));
    this.#linkRequests.clear();
    this.#options.onExit({ code, failure: this.#failure, wasReady: this.#ready });
  }
}
