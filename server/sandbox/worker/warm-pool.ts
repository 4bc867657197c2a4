import type { FreshIsolate, IsolateFactory } from './isolate-factory.ts';

const REFILL_AFTER_MS = 20;

/** Keeps a few isolates ready, so that a run need not wait for one. An isolate taken never comes back. */
export class WarmPool {
  readonly #factory: IsolateFactory;
  readonly #size: number;
  readonly #memoryMb: number;
  readonly #onError: (error: unknown) => void;
  readonly #ready: FreshIsolate[] = [];
  #making = false;

  constructor(options: {
    factory: IsolateFactory;
    size: number;
    memoryMb: number;
    onError: (error: unknown) => void;
  }) {
    this.#factory = options.factory;
    this.#size = options.size;
    this.#memoryMb = options.memoryMb;
    this.#onError = options.onError;
  }

  async fill(): Promise<void> {
    if (this.#making) return;
    this.#making = true;
    try {
      while (this.#ready.length < this.#size) this.#ready.push(await this.#factory.create(this.#memoryMb));
    } finally {
      this.#making = false;
    }
  }

  take(memoryMb: number): Promise<FreshIsolate> {
    const ready = memoryMb === this.#memoryMb ? this.#ready.shift() : undefined;
    this.refillIn(REFILL_AFTER_MS);
    return ready ? Promise.resolve(ready) : this.#factory.create(memoryMb);
  }

  /** Making an isolate keeps this thread busy for milliseconds, so a run that just began or ended goes first. */
  refillIn(delayMs: number): void {
    setTimeout(() => this.fill().catch(this.#onError), delayMs);
  }
}
