import { LRUCache } from 'lru-cache';

export interface ReadCacheOptions<Value> {
  /** Values kept; the one that was not used for the longest time goes first. */
  max: number;
  /** Given, values can also be dropped by this identity (`dropById`). */
  idOf?(value: Value): number;
}

/**
 * Values read from the database and kept until they change. This process is the only writer: each writer drops what it
 * changed, after the commit. A read that began before a change returns what it read and does not keep it.
 */
export class ReadCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #keysById = new Map<number, string>();
  readonly #idOf: ((value: Value) => number) | undefined;
  /** Grows with every change, of whatever key: a read is kept when no change came during it. */
  #generation = 0;

  constructor({ max, idOf }: ReadCacheOptions<Value>) {
    this.#idOf = idOf;
    this.#values = new LRUCache({ max, ...(idOf && { dispose: (value) => this.#keysById.delete(idOf(value)) }) });
  }

  /** The kept value, else what `read` returns; undefined is not kept. Throws what `read` throws. */
  async get(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    return this.#values.get(key) ?? this.read(read, () => key);
  }

  /** Reads whatever is in memory, and keeps what came under the key that it has. */
  async read(read: () => Promise<Value | undefined>, keyOf: (value: Value) => string): Promise<Value | undefined> {
    const generation = this.#generation;
    const value = await read();
    if (value && generation === this.#generation) {
      const key = keyOf(value);
      this.#values.set(key, value);
      if (this.#idOf) this.#keysById.set(this.#idOf(value), key);
    }
    return value;
  }

  /** The value, when it is in memory. */
  peek(key: string): Value | undefined {
    return this.#values.get(key);
  }

  peekById(id: number): Value | undefined {
    const key = this.#keysById.get(id);
    return key === undefined ? undefined : this.#values.get(key);
  }

  drop(key: string): void {
    this.#generation += 1;
    this.#values.delete(key);
  }

  /** Returns the value that was dropped, when it was in memory. */
  dropById(id: number): Value | undefined {
    this.#generation += 1;
    const key = this.#keysById.get(id);
    if (key === undefined) return undefined;
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value;
  }

  clear(): void {
    this.#generation += 1;
    this.#values.clear();
  }
}
