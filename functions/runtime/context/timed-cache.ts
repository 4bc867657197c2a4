import { ObjectCreate, PromisePrototypeThen } from '../primordials.ts';

type Entries<T> = Record<string, { value: Promise<T>; until: number }>;

/** Caches the result of a load for some time. Concurrent callers share one load; failures are not cached. */
export class TimedCache<T> {
  readonly #ttlMs: number;
  readonly #now: () => number;
  #entries = emptyEntries<T>();

  constructor(options: { ttlMs: number; now: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries[key];
    if (known && this.#now() < known.until) return known.value;
    const entry = { value: load(), until: this.#now() + this.#ttlMs };
    this.#entries[key] = entry;
    PromisePrototypeThen(entry.value, undefined, () => {
      if (this.#entries[key] === entry) delete this.#entries[key];
    });
    return entry.value;
  }

  delete(key: string): void {
    delete this.#entries[key];
  }

  clear(): void {
    this.#entries = emptyEntries();
  }
}

function emptyEntries<T>(): Entries<T> {
  return ObjectCreate(null) as Entries<T>;
}
