import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { CheckpointsStore } from '../../stores/checkpoints-store.ts';
import { LocksStore } from '../../stores/locks-store.ts';
import { RecordStreamsStore } from '../../stores/record-streams-store.ts';
import { RecordsStore } from '../../stores/records-store.ts';
import { CheckpointSession } from './checkpoint-session.ts';
import { LockSession } from './lock-session.ts';
import { decodeCursor } from './record-cursor.ts';
import { RecordPurger } from './record-purger.ts';
import { type RecordPage, type RecordQuery, RecordReader } from './record-reader.ts';
import type { RecordHasher, RecordSealer } from './record-sealer.ts';
import { type RecordScope, RecordSession, type SessionParts } from './record-session.ts';
import { RecordWriter } from './record-writer.ts';

export type { Checkpoint, CheckpointRange, CheckpointSession } from './checkpoint-session.ts';
export type { LockSession } from './lock-session.ts';
export type { RecordAction, RecordPage, RecordQuery } from './record-reader.ts';
export { createRecordHasher, createRecordSealer, type RecordHasher, type RecordSealer } from './record-sealer.ts';
export type { MergingStrategy, ModelCounts, RecordScope, RecordSession } from './record-session.ts';

export interface RecordsServiceOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  sealer: RecordSealer;
  hashOf: RecordHasher;
}

export interface StreamTarget {
  connectionRowId: number;
  model: string;
  variant: string;
}

export interface PruneRequest extends StreamTarget {
  untilCursor: string;
  limit: number;
}

/** The record cache, and the small state that runs keep beside it: checkpoints and locks. */
export class RecordsService {
  readonly #options: RecordsServiceOptions;
  readonly #streams = new RecordStreamsStore();
  readonly #records = new RecordsStore();
  readonly #checkpoints = new CheckpointsStore();
  readonly #locks = new LocksStore();
  readonly #reader: RecordReader;
  readonly #purger: RecordPurger;
  readonly #parts: SessionParts;

  constructor(options: RecordsServiceOptions) {
    this.#options = options;
    const shared = { ...options, streams: this.#streams, records: this.#records };
    this.#reader = new RecordReader(shared);
    this.#purger = new RecordPurger(shared);
    this.#parts = { ...shared, checkpoints: this.#checkpoints, writer: new RecordWriter(shared), reader: this.#reader };
  }

  /** Frees what the last process left behind: its locks, its half-done purge (which goes on in the background). */
  async start(): Promise<void> {
    await this.#options.database.transaction((tx) => this.#locks.removeAll(tx));
    void this.#purger.run();
  }

  async stop(): Promise<void> {
    await this.#purger.stop();
  }

  openRecords(scope: RecordScope): RecordSession {
    return new RecordSession(this.#parts, scope);
  }

  openCheckpoint(scope: {
    connectionRowId: number;
    key: string;
    assertWanted?(tx: Writable): Promise<void>;
  }): CheckpointSession {
    return new CheckpointSession({ ...this.#parts, ...scope });
  }

  openLocks(scope: { environmentId: number; owner: string }): LockSession {
    return new LockSession({ ...this.#parts, locks: this.#locks, ...scope });
  }

  list(query: RecordQuery): Promise<RecordPage> {
    return this.#reader.list(this.#options.database.reader, query);
  }

  /** Empties the oldest payloads up to the cursor, included; metadata and positions stay. */
  async prune(request: PruneRequest): Promise<{ count: number; hasMore: boolean }> {
    const until = decodeCursor(request.untilCursor, 'until_cursor');
    const stamps = await this.#options.database.transaction(async (tx) => {
      const stream = await this.#streams.find(tx, request.connectionRowId, request.model, request.variant);
      if (!stream) return [];
      const nowUs = this.#options.clock.now() * 1000;
      const range = { streamId: stream.id, after: stream.prunedUntil, until, limit: request.limit, nowUs };
      const pruned = await this.#records.prune(tx, range);
      const last = pruned.at(-1);
      if (last !== undefined) await this.#streams.setPrunedUntil(tx, stream.id, last);
      return pruned;
    });
    return { count: stamps.length, hasMore: stamps.length > 0 && stamps.at(-1) !== until };
  }

  /** Live records by connection, then `Model` or `Model::variant`. */
  async countByModel(connectionRowIds: number[]): Promise<Map<number, Record<string, number>>> {
    const counts = new Map<number, Record<string, number>>();
    for (const stream of await this.#streams.list(this.#options.database.reader, connectionRowIds)) {
      const ofConnection = counts.get(stream.connectionRowId) ?? {};
      ofConnection[stream.variant === 'base' ? stream.model : `${stream.model}::${stream.variant}`] = stream.liveCount;
      counts.set(stream.connectionRowId, ofConnection);
    }
    return counts;
  }

  /** Marks every live record deleted; consumers see the deletions in the stream. */
  async deleteAll(tx: Writable, target: StreamTarget): Promise<void> {
    const stream = await this.#streams.find(tx, target.connectionRowId, target.model, target.variant);
    if (!stream || stream.liveCount === 0) return;
    await this.#records.deleteUnseen(tx, stream.id, Number.MAX_SAFE_INTEGER, this.#options.clock.now() * 1000);
    await this.#streams.addToCount(tx, stream.id, -stream.liveCount);
  }

  /** Hard-deletes the records of these models: at once for readers, on the disk in the background. */
  async empty(tx: Writable, targets: StreamTarget[]): Promise<void> {
    const found = await Promise.all(
      targets.map((target) => this.#streams.find(tx, target.connectionRowId, target.model, target.variant)),
    );
    await this.#retire(
      tx,
      found.flatMap((stream) => (stream ? [stream.id] : [])),
    );
  }

  /** Everything of these connections: records, checkpoints, markers. */
  async removeConnections(tx: Writable, connectionRowIds: number[]): Promise<void> {
    const streams = await this.#streams.list(tx, connectionRowIds);
    await this.#retire(
      tx,
      streams.map((stream) => stream.id),
    );
    await this.#checkpoints.removeOfConnections(tx, connectionRowIds);
  }

  async removeCheckpoints(tx: Writable, connectionRowId: number, key: string): Promise<void> {
    await this.#checkpoints.removeWithPrefix(tx, connectionRowId, key);
  }

  /** The purge stands in the queue of transactions behind the caller's, so it sees what that one retired. */
  async #retire(tx: Writable, streamIds: number[]): Promise<void> {
    if (streamIds.length === 0) return;
    await this.#streams.retire(tx, streamIds);
    void this.#purger.run();
  }
}
