import type { Database } from '../../database/database.ts';
import type { Logger } from '../../lib/logger.ts';
import type { RecordStreamsStore } from '../../stores/record-streams-store.ts';
import type { RecordsStore } from '../../stores/records-store.ts';

interface PurgerOptions {
  database: Database;
  streams: RecordStreamsStore;
  records: RecordsStore;
  logger: Logger;
}

/** Rows removed per transaction: other writers wait a few milliseconds at most. */
const SLICE_ROWS = 500;

/** Removes the rows of retired streams in the background, in slices; goes on where it stopped after a restart. */
export class RecordPurger {
  readonly #options: PurgerOptions;
  #isStopped = false;
  #isWanted = false;
  #work: Promise<void> | undefined;

  constructor(options: PurgerOptions) {
    this.#options = options;
  }

  /** Resolves when nothing retired is left. Asked for while it runs, it looks once more. */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#work ??= this.#purge().finally(() => {
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
    const { database, streams, records } = this.#options;
    // Asked of the writer: a stream retired a moment ago counts.
    return database.transaction(async (tx) => {
      const streamId = await streams.findRetired(tx);
      if (streamId === undefined) return false;
      const removed = await records.purge(tx, streamId, SLICE_ROWS);
      if (removed < SLICE_ROWS) await streams.remove(tx, streamId);
      return true;
    });
  }
}
