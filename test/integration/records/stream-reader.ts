import type { StreamTarget } from '../../../server/records/records.service.ts';
import type { ReadRecord, RecordsFixture } from './records-fixture.ts';

/** A consumer of one stream: reads pages from its cursor on repeatedly, and keeps the last state of each record. */
export class StreamReader {
  readonly #cache: RecordsFixture;
  readonly #stream: StreamTarget;
  readonly #limits: () => number;
  #cursor: string | undefined;
  #lastStamp = '';
  #isStopped = false;
  readonly #work: Promise<void>;
  readonly seen = new Map<string, ReadRecord>();

  constructor(cache: RecordsFixture, stream: StreamTarget, limits: () => number) {
    this.#cache = cache;
    this.#stream = stream;
    this.#limits = limits;
    this.#work = this.#follow();
    // Reported when the reader is stopped.
    this.#work.catch(() => {});
  }

  /** Reads to the end once more, then stops. */
  async finish(): Promise<void> {
    await this.stop();
    while ((await this.#readPage()) > 0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      await this.#readPage();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #readPage(): Promise<number> {
    const limit = this.#limits();
    const { records, nextCursor } = await this.#cache.page({
      ...this.#stream,
      limit,
      ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }),
    });
    for (const record of records) {
      const { last_modified_at: stamp, cursor } = record._nango_metadata;
      if (stamp <= this.#lastStamp) throw new Error(`${record.id}: the stamp ${stamp} comes after ${this.#lastStamp}`);
      this.#lastStamp = stamp;
      this.#cursor = cursor;
      this.seen.set(record.id, record);
    }
    if (nextCursor !== null && nextCursor !== this.#cursor)
      throw new Error('next_cursor is not that of the last record');
    if (nextCursor !== null && records.length !== limit) throw new Error('a page with a successor is not full');
    return records.length;
  }
}
