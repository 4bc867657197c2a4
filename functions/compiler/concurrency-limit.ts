/** Runs at most `size` tasks at the same time; others wait in the order of their calls. */
export class ConcurrencyLimit {
  readonly #size: number;
  readonly #waiting: Array<() => void> = [];
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next waiting task takes the free slot.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
