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

const DAY_MS = 86_400_000;
/** Rows pruned per transaction, so that other writers wait a few milliseconds at most. */
const SLICE_ROWS = 500;
/** Streams checked per transaction. */
const SLICE_STREAMS = 200;

/** Applies the retention settings of the environments. */
export function createRecordRetentionSweep({
  database,
  clock,
  recordStreamsStore,
  recordsStore,
  pruner,
  retentionOf,
}: {
  database: Database;
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  pruner: RecordPruner;
  retentionOf(environmentId: number): RecordRetention;
}) {
  async function retire(found: EnvironmentStream[], days: number, isStopped: () => boolean): Promise<boolean> {
    const before = clock.now() - days * DAY_MS;
    let hasRetired = false;
    for (let start = 0; start < found.length && !isStopped(); start += SLICE_STREAMS) {
      const ids = found.slice(start, start + SLICE_STREAMS).map((stream) => stream.id);
      if ((await recordStreamsStore.listForsaken(database.reader, ids, before)).length === 0) continue;
      // Checked again inside the transaction, because a run may have started meanwhile.
      await database.transaction(async (tx) =>
        recordStreamsStore.retire(tx, await recordStreamsStore.listForsaken(tx, ids, before)),
      );
      hasRetired = true;
    }
    return hasRetired;
  }

  async function prune(found: EnvironmentStream[], days: number, isStopped: () => boolean): Promise<void> {
    const until = (clock.now() - days * DAY_MS) * 1000;
    for (const { id, connectionRowId, model, variant, prunedUntil } of found) {
      const due = await recordsStore.listPrunable(database.reader, {
        streamId: id,
        after: prunedUntil,
        until,
        limit: 1,
      });
      if (due.length === 0) continue;
      await removeInSlices({ database, sliceSize: SLICE_ROWS, isStopped }, async (tx) => {
        const stream = await recordStreamsStore.find(tx, connectionRowId, model, variant);
        return stream ? (await pruner.prune(tx, stream, until, SLICE_ROWS)).length : 0;
      });
      if (isStopped()) return;
    }
  }

  return {
    /** Removes what is due; resolves to true when streams were retired, whose rows must then be purged. */
    async run(isStopped: () => boolean): Promise<boolean> {
      let hasRetired = false;
      const byEnvironment = Map.groupBy(
        await recordStreamsStore.listOfEnvironments(database.reader),
        (one) => one.environmentId,
      );
      for (const [environmentId, found] of byEnvironment) {
        const { pruneAfterDays, deleteAfterDays } = retentionOf(environmentId);
        if (deleteAfterDays !== null) hasRetired = (await retire(found, deleteAfterDays, isStopped)) || hasRetired;
        if (pruneAfterDays !== null) await prune(found, pruneAfterDays, isStopped);
      }
      return hasRetired;
    },
  };
}

export type RecordPruner = ReturnType<typeof createRecordPruner>;

/** Removes the oldest payloads of a stream; metadata and positions stay. */
export function createRecordPruner({
  clock,
  recordStreamsStore,
  recordsStore,
  recordVersionsStore,
}: {
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
}) {
  return {
    /** Prunes at most `limit` rows up to and including the stamp `until`; resolves to their stamps, in order. */
    async prune(tx: Transaction, stream: StreamRow, until: number, limit: number): Promise<number[]> {
      const range = { streamId: stream.id, after: stream.prunedUntil, until, limit };
      const rows = await recordsStore.listPrunable(tx, range);
      const last = rows.at(-1);
      if (!last) return [];
      await recordsStore.prune(tx, stream.id, rows, clock.now() * 1000);
      if (stream.historySince !== 0) {
        const ids = rows.map((row) => row.externalId);
        await recordVersionsStore.removePayloads(tx, stream.id, ids);
      }
      await recordStreamsStore.setPrunedUntil(tx, stream.id, last.updatedAt);
      return rows.map((row) => row.updatedAt);
    },
  };
}

/** Rows removed per transaction, so that other writers wait a few milliseconds at most. */
const PURGED_AT_ONCE = 500;

export type RecordPurger = ReturnType<typeof createRecordPurger>;

/**
 * Removes rows of retired streams, and histories that are not kept any more, in the background and in slices. Continues
 * after a restart.
 */
export function createRecordPurger({
  database,
  recordStreamsStore,
  recordsStore,
  recordVersionsStore,
  logger,
}: {
  database: Database;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
  logger: Logger;
}) {
  let isStopped = false;
  let isWanted = false;
  let work: Promise<void> | undefined;

  async function purge(): Promise<void> {
    try {
      while (isWanted && !isStopped) {
        isWanted = false;
        if (await purgeSlice()) isWanted = true;
      }
    } catch (error) {
      // Retired streams are invisible; the next start or deletion tries again.
      logger.error({ err: error }, 'Deleted records could not be removed from the disk.');
    } finally {
      // In the same step as the last check: a call right after it starts a new run.
      work = undefined;
    }
  }

  async function purgeSlice(): Promise<boolean> {
    // Read in the transaction, so that a stream that was just retired is included.
    return database.transaction(async (tx) => {
      const retired = await recordStreamsStore.findRetired(tx);
      if (retired !== undefined) {
        if (await purgeStream(tx, retired)) await recordStreamsStore.remove(tx, retired);
        return true;
      }
      const left = await recordStreamsStore.findHistoryLeft(tx);
      if (left === undefined) return false;
      if (await purgeVersions(tx, left)) await recordStreamsStore.forgetHistory(tx, left);
      return true;
    });
  }

  /** Resolves to true when the stream is completely removed. */
  async function purgeStream(tx: Transaction, streamId: number): Promise<boolean> {
    if ((await recordsStore.purge(tx, streamId, PURGED_AT_ONCE)) === PURGED_AT_ONCE) return false;
    return purgeVersions(tx, streamId);
  }

  async function purgeVersions(tx: Transaction, streamId: number): Promise<boolean> {
    const found = await recordVersionsStore.listAny(tx, streamId, PURGED_AT_ONCE);
    if (found.length > 0) await recordVersionsStore.remove(tx, streamId, found);
    return found.length < PURGED_AT_ONCE;
  }

  return {
    /**
     * Resolves when everything is removed; never rejects. A call during a run makes it check once more. Not part of the
     * caller's transaction.
     */
    run(): Promise<void> {
      isWanted = true;
      if (isStopped) return Promise.resolve();
      work ??= detached(() => purge());
      return work;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await work;
    },
  };
}
