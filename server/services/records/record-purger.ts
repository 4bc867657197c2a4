import type { Database, Writable } from '../../database/database.ts';
import { detached } from '../../lib/detached.ts';
import type { Logger } from '../../lib/logger.ts';
import type { RecordStreamsStore } from '../../stores/record-streams-store.ts';
import type { RecordVersionsStore } from '../../stores/record-versions-store.ts';
import type { RecordsStore } from '../../stores/records-store.ts';

interface PurgerOptions {
  database: Database;
  streams: RecordStreamsStore;
  records: RecordsStore;
  versions: RecordVersionsStore;
  logger: Logger;
}

/** Rows removed per transaction: other writers wait a few milliseconds at most. */
const SLICE_ROWS = 500;

/**
 * Removes the rows of retired streams, and histories that are not kept any more, in the background, in slices; goes on
 * where it stopped after a restart.
 */
export class RecordPurger {
  readonly #options: PurgerOptions;
  #isStopped = false;
  #isWanted = false;
  #work: Promise<void> | undefined;

  constructor(options: PurgerOptions) {
    this.#options = options;
  }

  /** Resolves when nothing of it is left. Asked for while it runs, it looks once more. Never part of a caller's transaction. */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#work ??= detached(() => this.#purge()).finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #purge(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        if (await this.#purgeSlice()) this.#isWanted = true;
      }
    } catch (error) {
      // Retired streams are invisible; the next start or deletion tries again.
      this.#options.logger.error({ err: error }, 'Deleted records could not be removed from the disk.');
    }
  }

  async #purgeSlice(): Promise<boolean> {
    const { database, streams } = this.#options;
    // Asked of the writer: a stream retired a moment ago counts.
    return database.transaction(async (tx) => {
      const retired = await streams.findRetired(tx);
      if (retired !== undefined) {
        if (await this.#purgeStream(tx, retired)) await streams.remove(tx, retired);
        return true;
      }
      const left = await streams.findHistoryLeft(tx);
      if (left === undefined) return false;
      if (await this.#purgeVersions(tx, left)) await streams.forgetHistory(tx, left);
      return true;
    });
  }

  /** True when nothing is left of it. */
  async #purgeStream(tx: Writable, streamId: number): Promise<boolean> {
    if ((await this.#options.records.purge(tx, streamId, SLICE_ROWS)) === SLICE_ROWS) return false;
    return this.#purgeVersions(tx, streamId);
  }

  async #purgeVersions(tx: Writable, streamId: number): Promise<boolean> {
    const { versions } = this.#options;
    const found = await versions.listAny(tx, streamId, SLICE_ROWS);
    if (found.length > 0) await versions.remove(tx, streamId, found);
    return found.length < SLICE_ROWS;
  }
}
