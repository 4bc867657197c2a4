/** Remembers the outcome of a load for a while; callers at the same time share one load, failures are forgotten. */
export class TimedCache<T> {
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, { value: Promise<T>; until: number }>();

  constructor(options: { ttlMs: number; now: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known && this.#now() < known.until) return known.value;
    const entry = { value: load(), until: this.#now() + this.#ttlMs };
    this.#entries.set(key, entry);
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
