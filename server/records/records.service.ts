import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import { LocksStore } from '../platform/scheduler/locks.store.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import { CheckpointSession } from './checkpoint-session.ts';
import { type CheckpointOwner, CheckpointsStore } from './checkpoints.store.ts';
import { createRecordComparison } from './record-comparison.ts';
import { RecordHistoriesStore } from './record-histories.store.ts';
import { createRecordHistory } from './record-history.ts';
import { createRecordReader, decodeCursor, type StreamTarget } from './record-reader.ts';
import {
  createRecordPruner,
  createRecordPurger,
  createRecordRetentionSweep,
  type RecordRetention,
} from './record-retention.ts';
import type { RecordHasher, RecordSealer } from './record-sealer.ts';
import { RecordSession, type SessionScope } from './record-session.ts';
import { type RecordPlaceRow, RecordStreamsStore } from './record-streams.store.ts';
import { formatMicros } from './record-time.ts';
import { RecordVersionsStore } from './record-versions.store.ts';
import { createRecordWriter } from './record-writer.ts';
import { RecordsStore } from './records.store.ts';

export type { Checkpoint, CheckpointRange, CheckpointSession } from './checkpoint-session.ts';
export type { SaysTheSame } from './record-comparison.ts';
export type {
  RecordHistory,
  RecordVersion,
} from './record-history.ts';
export { internalId, type RecordAction, type StreamTarget } from './record-reader.ts';
export type { RecordRetention } from './record-retention.ts';
export {
  createRecordHasher,
  createRecordSealer,
  type RecordHasher,
  type RecordSealer,
  sealContext,
} from './record-sealer.ts';
export type { ModelCounts, RecordSession, SessionScope } from './record-session.ts';
export { formatMicros } from './record-time.ts';
export type { RecordInput } from './record-writer.ts';

export interface PruneRequest extends StreamTarget {
  untilCursor: string;
  limit: number;
}

export interface ModelSummary {
  model: string;
  variant: string;
  liveCount: number;
  /** Null when the model has no record. */
  lastModifiedAt: string | null;
}

const HOUR_MS = 3_600_000;

export type RecordsService = ReturnType<typeof createRecordsService>;

/** The record cache, and further state that runs store: checkpoints and locks. */
export function createRecordsService({
  database,
  clock,
  logger,
  seenTime,
  sealer,
  hashOf,
  environments,
}: {
  database: Database;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  sealer: RecordSealer;
  hashOf: RecordHasher;
  environments: { recordRetention(environmentId: number): RecordRetention };
}) {
  const recordStreamsStore = new RecordStreamsStore();
  const recordsStore = new RecordsStore();
  const recordVersionsStore = new RecordVersionsStore();
  const checkpointsStore = new CheckpointsStore();
  const locksStore = new LocksStore();
  const recordReader = createRecordReader({ database, recordStreamsStore, recordsStore, sealer });
  const writer = createRecordWriter({
    clock,
    recordStreamsStore,
    recordsStore,
    recordVersionsStore,
    sealer,
    hashOf,
  });
  const pruner = createRecordPruner({ clock, recordStreamsStore, recordsStore, recordVersionsStore });
  const purger = createRecordPurger({ database, logger, recordStreamsStore, recordsStore, recordVersionsStore });
  const retention = createRecordRetentionSweep({
    database,
    clock,
    recordStreamsStore,
    recordsStore,
    pruner,
    retentionOf: (environmentId) => environments.recordRetention(environmentId),
  });
  /** Earlier versions of records. */
  const history = createRecordHistory({
    database,
    clock,
    recordStreamsStore,
    recordsStore,
    recordVersionsStore,
    recordHistoriesStore: new RecordHistoriesStore(),
    sealer,
    purger,
  });
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: HOUR_MS,
    seenTime,
    sweep: removeExpired,
    failureMessage: 'Old records could not be removed; trying again in an hour.',
  });

  /** Removes what exceeds retention settings and limits of histories; also done in the background once an hour. */
  async function removeExpired(isStopped: () => boolean = () => false): Promise<void> {
    await history.trim(isStopped);
    if (await retention.run(isStopped)) void purger.run();
  }

  /** The purge runs in a transaction after the caller's, so it includes the retired streams. */
  async function retire(tx: Transaction, streamIds: number[]): Promise<void> {
    if (streamIds.length === 0) return;
    await recordStreamsStore.retire(tx, streamIds);
    void purger.run();
  }

  return {
    history,
    removeExpired,
    /** Releases the locks of the last process, and continues its unfinished purge in the background. */
    async start(): Promise<void> {
      await database.transaction((tx) => locksStore.removeAll(tx));
      void purger.run();
      sweeps.start();
    },
    async stop(): Promise<void> {
      await sweeps.stop();
      await purger.stop();
    },
    openRecords(scope: SessionScope): RecordSession {
      const parts = {
        database,
        clock,
        recordStreamsStore,
        recordsStore,
        checkpointsStore,
        writer,
        reader: recordReader,
      };
      return new RecordSession(parts, scope);
    },
    openCheckpoint(scope: {
      connectionRowId: number;
      key: string;
      assertWanted?(tx: Transaction): Promise<void>;
    }): CheckpointSession {
      return new CheckpointSession({ ...scope, database, clock, checkpointsStore });
    },
    openLocks(scope: { environmentId: number; owner: string }): LockSession {
      return new LockSession({ ...scope, database, clock, locksStore });
    },
    comparison: createRecordComparison({ database, recordStreamsStore, recordsStore, sealer, hashOf }),
    list: recordReader.list,
    lastChange: recordReader.lastChange,
    listIds: recordReader.listIds,
    findText: recordReader.findText,
    /** Removes the oldest payloads up to and including the cursor; metadata and positions stay. */
    async prune(request: PruneRequest): Promise<{ count: number; hasMore: boolean }> {
      const until = decodeCursor(request.untilCursor, 'until_cursor');
      const stamps = await database.transaction(async (tx) => {
        const stream = await recordStreamsStore.find(tx, request.connectionRowId, request.model, request.variant);
        if (!stream) return [];
        return pruner.prune(tx, stream, until, request.limit);
      });
      return { count: stamps.length, hasMore: stamps.length > 0 && stamps.at(-1) !== until };
    },
    /** Number of live records by connection, then by `Model` or `Model::variant`. */
    async countByModel(connectionRowIds: number[]): Promise<Map<number, Record<string, number>>> {
      const counts = new Map<number, Record<string, number>>();
      for (const stream of await recordStreamsStore.list(database.reader, connectionRowIds)) {
        const ofConnection = counts.get(stream.connectionRowId) ?? {};
        ofConnection[stream.variant === 'base' ? stream.model : `${stream.model}::${stream.variant}`] =
          stream.liveCount;
        counts.set(stream.connectionRowId, ofConnection);
      }
      return counts;
    },
    /** The models of which a connection has or had records. */
    async listModels(connectionRowId: number): Promise<ModelSummary[]> {
      const streams = await recordStreamsStore.list(database.reader, [connectionRowId]);
      return Promise.all(
        streams.map(async ({ id, model, variant, liveCount }) => {
          const last = await recordsStore.findLastStamp(database.reader, id);
          return { model, variant, liveCount, lastModifiedAt: last === 0 ? null : formatMicros(last) };
        }),
      );
    },
    /** The streams of an environment that have a record of this id, pruned and deleted ones too; last changed first. */
    findPlaces(environmentId: number, recordId: string, limit: number): Promise<RecordPlaceRow[]> {
      return recordStreamsStore.findPlaces(database.reader, environmentId, recordId, limit);
    },
    /** Marks every live record as deleted; the stream of changes contains the deletions. */
    async deleteAll(tx: Transaction, target: StreamTarget): Promise<void> {
      await writer.removeUnseen(tx, target, Number.MAX_SAFE_INTEGER, { jobId: null, operationId: null });
    },
    /** Permanently deletes the records of these models: for readers at once, on the disk in the background. */
    async empty(tx: Transaction, targets: StreamTarget[]): Promise<void> {
      const found = await Promise.all(
        targets.map((target) => recordStreamsStore.find(tx, target.connectionRowId, target.model, target.variant)),
      );
      await retire(
        tx,
        found.flatMap((stream) => (stream ? [stream.id] : [])),
      );
    },
    /** Removes everything of these connections: records, checkpoints, markers of deletion tracking. */
    async removeConnections(tx: Transaction, connectionRowIds: number[]): Promise<void> {
      const streams = await recordStreamsStore.list(tx, connectionRowIds);
      await retire(
        tx,
        streams.map((stream) => stream.id),
      );
      await checkpointsStore.removeOfConnections(tx, connectionRowIds);
    },
    async removeCheckpoints(tx: Transaction, owners: CheckpointOwner[]): Promise<void> {
      await checkpointsStore.removeWithPrefixes(tx, owners);
    },
  };
}

interface LockParts {
  database: Database;
  clock: Clock;
  locksStore: LocksStore;
  environmentId: number;
  /** The run that owns the locks. */
  owner: string;
}

const MAX_KEY_LENGTH = 255;

/** One run's locks (`lock.*` of the bridge). The end of the run calls `releaseAll`. */
export class LockSession {
  readonly #parts: LockParts;
  #mayHoldAny = false;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  /** Resolves to false when another run holds the lock. Throws `invalid_body` for an invalid key or lifetime. */
  async acquire(key: string, ttlMs: number): Promise<boolean> {
    checkKey(key);
    if (!(ttlMs > 0)) throw new HomeportError('invalid_body', 'The lifetime of a lock must be more than 0 ms.');
    const { database, locksStore: locks, clock, environmentId, owner } = this.#parts;
    const now = clock.now();
    this.#mayHoldAny = true;
    return database.transaction((tx) => locks.acquire(tx, { environmentId, key, owner, now, ttlMs: Math.ceil(ttlMs) }));
  }

  /** True only if this run held the lock. */
  async release(key: string): Promise<boolean> {
    checkKey(key);
    const { database, locksStore: locks, environmentId, owner } = this.#parts;
    return database.transaction((tx) => locks.release(tx, environmentId, key, owner));
  }

  async releaseAll(): Promise<void> {
    if (!this.#mayHoldAny) return;
    this.#mayHoldAny = false;
    const { database, locksStore: locks, owner } = this.#parts;
    await database.transaction((tx) => locks.releaseAll(tx, owner));
  }
}

function checkKey(key: string): void {
  if (key.length < 1 || key.length > MAX_KEY_LENGTH)
    throw new HomeportError('invalid_body', `The key of a lock has 1 to ${MAX_KEY_LENGTH} characters.`);
}
