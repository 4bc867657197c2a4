/** More rows than this are not counted one by one. */
export const MOST_HELD = 2000;

/** The keys of rows that arrived while the reader is further down, each once; bounded, however many arrive. */
export class HeldRows {
  readonly #keys = new Set<string>();
  #isFull = false;

  /** True when the count has changed. */
  add(key: string): boolean {
    if (this.#isFull || this.#keys.has(key)) return false;
    if (this.#keys.size < MOST_HELD) this.#keys.add(key);
    else this.#isFull = true;
    return true;
  }

  clear(): void {
    this.#keys.clear();
    this.#isFull = false;
  }

  get count(): { rows: number; isFull: boolean } {
    return { rows: this.#keys.size, isFull: this.#isFull };
  }
}

/** Runs one call at a time; calls that are asked for meanwhile become one more call after it. */
export function inTurn(run: () => Promise<void>): () => void {
  let state: 'idle' | 'running' | 'again' = 'idle';
  const start = (): void => {
    state = 'running';
    void run().finally(() => {
      const next = state === 'again';
      state = 'idle';
      if (next) start();
    });
  };
  return () => {
    if (state === 'idle') start();
    else state = 'again';
  };
}
