import ivm from 'isolated-vm';
import { BOOT_NAME, type Dispatch, type GuestMessages } from '../../../functions/runtime/guest-link.ts';
import { answerSyncMethod } from './sync-methods.ts';

export type GuestMessage = { [K in keyof GuestMessages]: [kind: K, ...args: GuestMessages[K]] }[keyof GuestMessages];

/** Receives what a guest sends; a fresh isolate has nobody listening yet. */
interface GuestListener {
  onMessage(message: GuestMessage): void;
  /** V8 has lost control: the process has to end. */
  onCatastrophe(): void;
}

/** An isolate whose guest runtime is in place and which has seen no author code. */
export interface FreshIsolate {
  readonly isolate: ivm.Isolate;
  readonly context: ivm.Context;
  readonly dispatch: ivm.Reference<Dispatch>;
  listen(listener: GuestListener): void;
}

/** Makes isolates out of one start-up snapshot, which is about four times faster than evaluating the guest code. */
export class IsolateFactory {
  readonly #snapshot: ivm.ExternalCopy<ArrayBuffer>;
  readonly #onOrphanCatastrophe: () => void;

  constructor(options: { guestCode: string; onOrphanCatastrophe: () => void }) {
    this.#snapshot = ivm.Isolate.createSnapshot([{ code: options.guestCode, filename: 'homeport-guest.js' }]);
    this.#onOrphanCatastrophe = options.onOrphanCatastrophe;
  }

  async create(memoryMb: number): Promise<FreshIsolate> {
    let listener: GuestListener | undefined;
    const isolate = new ivm.Isolate({
      memoryLimit: memoryMb,
      snapshot: this.#snapshot,
      onCatastrophicError: () => (listener ? listener.onCatastrophe() : this.#onOrphanCatastrophe()),
    });
    const context = await isolate.createContext();
    // Callbacks become plain functions inside, so no object of isolated-vm ever exists in there. They wait until the
    // message is handled: a function that sends without end would otherwise fill this process with what waits.
    const send = new ivm.Callback((...message: GuestMessage) => listener?.onMessage(message));
    const answerSync = new ivm.Callback(answerSyncMethod);
    const dispatch = await context.evalClosure(`return ${BOOT_NAME}($0, $1)`, [send, answerSync], {
      result: { reference: true },
    });
    return {
      isolate,
      context,
      dispatch: dispatch as ivm.Reference<Dispatch>,
      listen: (to) => {
        listener = to;
      },
    };
  }
}

export function disposeIsolate(isolate: ivm.Isolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
