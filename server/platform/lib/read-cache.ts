import { LRUCache } from 'lru-cache';
import type { MaybePromise } from './maybe-promise.ts';

export interface ReadCacheOptions<Value> {
  /** Number of values kept; the least recently used one is dropped first. */
  max: number;
  /** When given, values can also be dropped by this id (`dropById`). */
  idOf?(value: Value): number;
}

/**
 * Caches values read from the database until they change. This process is the only writer: each writer drops what it
 * changed, after the commit. A read that began before a change returns its value without caching it.
 */
export class ReadCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #keysById = new Map<number, string>();
  readonly #idOf: ((value: Value) => number) | undefined;
  /** Increases with every change of any key. A value is cached when no change happened during its read. */
  #generation = 0;

  constructor({ max, idOf }: ReadCacheOptions<Value>) {
    this.#idOf = idOf;
    this.#values = new LRUCache({ max, ...(idOf && { dispose: (value) => this.#keysById.delete(idOf(value)) }) });
  }

  /** The cached value, at once, else the result of `read`; undefined is not cached. Throws what `read` throws. */
  get(key: string, read: () => Promise<Value | undefined>): MaybePromise<Value | undefined> {
    return this.#values.get(key) ?? this.read(read, () => key);
  }

  /** Always calls `read`, and caches the result under the key that `keyOf` returns. */
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

  /** The value if it is cached. */
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

  /** Returns the dropped value, if it was cached. */
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
