import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EnvironmentStream, RecordStreamsStore } from '../../stores/record-streams-store.ts';
import type { RecordsStore } from '../../stores/records-store.ts';
import type { RecordPruner } from './record-pruner.ts';

/** Days; null = for ever (syncs-and-records.md 2.9). */
export interface RecordRetention {
  /** Payloads of records that were not modified for so long are emptied. */
  pruneAfterDays: number | null;
  /** All records of a model are removed when its sync has not run for so long. */
  deleteAfterDays: number | null;
}

interface RetentionOptions {
  database: Database;
  clock: Clock;
  streams: RecordStreamsStore;
  records: RecordsStore;
  pruner: RecordPruner;
  retentionOf(environmentId: number): RecordRetention;
}

export const KEEP_FOR_EVER: RecordRetention = { pruneAfterDays: null, deleteAfterDays: null };
const DAY_MS = 86_400_000;
/** Rows emptied per transaction: other writers wait a few milliseconds at most. */
const SLICE_ROWS = 500;
/** Streams judged per transaction. */
const SLICE_STREAMS = 200;

/** Applies the retention settings of the environments. */
export class RecordRetentionSweep {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Everything that is due now; true when streams were retired, whose rows are then to be purged. */
  async run(isStopped: () => boolean): Promise<boolean> {
    const { database, streams, retentionOf } = this.#options;
    let hasRetired = false;
    const byEnvironment = Map.groupBy(await streams.listOfEnvironments(database.reader), (one) => one.environmentId);
    for (const [environmentId, found] of byEnvironment) {
      const { pruneAfterDays, deleteAfterDays } = retentionOf(environmentId);
      if (deleteAfterDays !== null) hasRetired = (await this.#retire(found, deleteAfterDays, isStopped)) || hasRetired;
      if (pruneAfterDays !== null) await this.#prune(found, pruneAfterDays, isStopped);
    }
    return hasRetired;
  }

  async #retire(found: EnvironmentStream[], days: number, isStopped: () => boolean): Promise<boolean> {
    const { database, streams, clock } = this.#options;
    const before = clock.now() - days * DAY_MS;
    let hasRetired = false;
    for (let start = 0; start < found.length && !isStopped(); start += SLICE_STREAMS) {
      const ids = found.slice(start, start + SLICE_STREAMS).map((stream) => stream.id);
      if ((await streams.listForsaken(database.reader, ids, before)).length === 0) continue;
      // Judged again where nothing can come in between: a run may have begun.
      await database.transaction(async (tx) => streams.retire(tx, await streams.listForsaken(tx, ids, before)));
      hasRetired = true;
    }
    return hasRetired;
  }

  async #prune(found: EnvironmentStream[], days: number, isStopped: () => boolean): Promise<void> {
    const until = (this.#options.clock.now() - days * DAY_MS) * 1000;
    for (const { id, connectionRowId, model, variant, prunedUntil } of found) {
      const { database, records, streams, pruner } = this.#options;
      const due = await records.listPrunable(database.reader, { streamId: id, after: prunedUntil, until, limit: 1 });
      if (due.length === 0) continue;
      let count: number;
      do {
        if (isStopped()) return;
        count = await database.transaction(async (tx) => {
          const stream = await streams.find(tx, connectionRowId, model, variant);
          return stream ? (await pruner.prune(tx, stream, until, SLICE_ROWS)).length : 0;
        });
      } while (count === SLICE_ROWS);
    }
  }
}
