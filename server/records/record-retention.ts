import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { EnvironmentStream, RecordStreamsStore, StreamRow } from './record-streams.store.ts';
import type { RecordVersionsStore } from './record-versions.store.ts';
import type { RecordsStore } from './records.store.ts';

/** Days; null means for ever (syncs-and-records.md 2.9). */
export interface RecordRetention {
  /** Payloads of records that were not modified for this long are removed. */
  pruneAfterDays: number | null;
  /** All records of a model are removed when its sync has not run for this long. */
  deleteAfterDays: number | null;
}

interface RetentionOptions {
  database: Database;
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  pruner: RecordPruner;
  retentionOf(environmentId: number): RecordRetention;
}

const DAY_MS = 86_400_000;
/** Rows pruned per transaction, so that other writers wait a few milliseconds at most. */
const SLICE_ROWS = 500;
/** Streams checked per transaction. */
const SLICE_STREAMS = 200;

/** Applies the retention settings of the environments. */
export class RecordRetentionSweep {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Removes what is due; resolves to true when streams were retired, whose rows must then be purged. */
  async run(isStopped: () => boolean): Promise<boolean> {
    const { database, recordStreamsStore: streams, retentionOf } = this.#options;
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
    const { database, recordStreamsStore: streams, clock } = this.#options;
    const before = clock.now() - days * DAY_MS;
    let hasRetired = false;
    for (let start = 0; start < found.length && !isStopped(); start += SLICE_STREAMS) {
      const ids = found.slice(start, start + SLICE_STREAMS).map((stream) => stream.id);
      if ((await streams.listForsaken(database.reader, ids, before)).length === 0) continue;
      // Checked again inside the transaction, because a run may have started meanwhile.
      await database.transaction(async (tx) => streams.retire(tx, await streams.listForsaken(tx, ids, before)));
      hasRetired = true;
    }
    return hasRetired;
  }

  async #prune(found: EnvironmentStream[], days: number, isStopped: () => boolean): Promise<void> {
    const until = (this.#options.clock.now() - days * DAY_MS) * 1000;
    for (const { id, connectionRowId, model, variant, prunedUntil } of found) {
      const { database, recordsStore: records, recordStreamsStore: streams, pruner } = this.#options;
      const due = await records.listPrunable(database.reader, { streamId: id, after: prunedUntil, until, limit: 1 });
      if (due.length === 0) continue;
      await removeInSlices({ database, sliceSize: SLICE_ROWS, isStopped }, async (tx) => {
        const stream = await streams.find(tx, connectionRowId, model, variant);
        return stream ? (await pruner.prune(tx, stream, until, SLICE_ROWS)).length : 0;
      });
      if (isStopped()) return;
    }
  }
}

interface PrunerOptions {
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
}

/** Removes the oldest payloads of a stream; metadata and positions stay. */
export class RecordPruner {
  readonly #options: PrunerOptions;

  constructor(options: PrunerOptions) {
    this.#options = options;
  }

  /** Prunes at most `limit` rows up to and including the stamp `until`; resolves to their stamps, in order. */
  async prune(tx: Transaction, stream: StreamRow, until: number, limit: number): Promise<number[]> {
    const { recordsStore: records, recordStreamsStore: streams, recordVersionsStore: versions, clock } = this.#options;
    const range = { streamId: stream.id, after: stream.prunedUntil, until, limit };
    const rows = await records.listPrunable(tx, range);
    const last = rows.at(-1);
    if (!last) return [];
    await records.prune(tx, stream.id, rows, clock.now() * 1000);
    if (stream.historySince !== 0) {
      const ids = rows.map((row) => row.externalId);
      await versions.removePayloads(tx, stream.id, ids);
    }
    await streams.setPrunedUntil(tx, stream.id, last.updatedAt);
    return rows.map((row) => row.updatedAt);
  }
}

interface PurgerOptions {
  database: Database;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
  logger: Logger;
}

/** Rows removed per transaction, so that other writers wait a few milliseconds at most. */
const PURGED_AT_ONCE = 500;

/**
 * Removes rows of retired streams, and histories that are not kept any more, in the background and in slices. Continues
 * after a restart.
 */
export class RecordPurger {
  readonly #options: PurgerOptions;
  #isStopped = false;
  #isWanted = false;
  #work: Promise<void> | undefined;

  constructor(options: PurgerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when everything is removed; never rejects. A call during a run makes it check once more. Not part of the
   * caller's transaction.
   */
  run(): Promise<void> {
    this.#isWanted = true;
    if (this.#isStopped) return Promise.resolve();
    this.#work ??= detached(() => this.#purge());
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
    } finally {
      // In the same step as the last check: a call right after it starts a new run.
      this.#work = undefined;
    }
  }

  async #purgeSlice(): Promise<boolean> {
    const { database, recordStreamsStore: streams } = this.#options;
    // Read in the transaction, so that a stream that was just retired is included.
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

  /** Resolves to true when the stream is completely removed. */
  async #purgeStream(tx: Transaction, streamId: number): Promise<boolean> {
    if ((await this.#options.recordsStore.purge(tx, streamId, PURGED_AT_ONCE)) === PURGED_AT_ONCE) return false;
    return this.#purgeVersions(tx, streamId);
  }

  async #purgeVersions(tx: Transaction, streamId: number): Promise<boolean> {
    const { recordVersionsStore: versions } = this.#options;
    const found = await versions.listAny(tx, streamId, PURGED_AT_ONCE);
    if (found.length > 0) await versions.remove(tx, streamId, found);
    return found.length < PURGED_AT_ONCE;
  }
}
