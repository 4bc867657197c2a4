import { Conditions } from '../platform/database/conditions.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { IdList } from '../platform/lib/id-list.ts';

/** A record as readers get it; times are in microseconds since the epoch. */
export interface RecordRow {
  externalId: string;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
  prunedAt: number | null;
  /** Absent for pruned records and for deletions of ids that were never saved. */
  sealed: Buffer | null;
}

/** A record to write, without its payload. */
export interface RecordScope {
  externalId: string;
  hash: string;
  payloadId: number;
  stamp: number;
}

export interface PayloadWrite {
  payloadId: number;
  sealed: Buffer;
}

/** What is stored about one record of a batch; `index` is its position in the batch. */
export interface KnownRecord {
  index: number;
  /** Undefined for an unknown record, 0 for a record without a payload. */
  payloadId: number | undefined;
  isSameHash: boolean;
  isDeleted: boolean;
  isPruned: boolean;
  updatedAt: number;
}

export interface StoredPayload {
  externalId: string;
  hash: string;
  payloadId: number;
  updatedAt: number;
  sealed: Buffer | null;
}

export interface RecordPageQuery {
  streamId: number;
  /** Rows at or after this stamp. */
  from: number;
  actions: { added: boolean; updated: boolean; deleted: boolean };
  ids: string[] | undefined;
  limit: number;
}

export interface RecordIdsQuery {
  streamId: number;
  /** Strictly after this stamp. */
  after: number;
  /** At or before this stamp. */
  until: number;
  actions: RecordPageQuery['actions'];
  order: { by: 'modified' | 'id' | 'action'; direction: 'asc' | 'desc' };
}

export interface PruneRange {
  streamId: number;
  /** Rows strictly after this stamp. */
  after: number;
  /** Rows at or before this stamp. */
  until: number;
  limit: number;
}

export interface PrunableRecord {
  externalId: string;
  payloadId: number;
  updatedAt: number;
}

const ACTION_CASE = 'CASE WHEN r.deleted_at IS NOT NULL THEN ? WHEN r.created_at = r.updated_at THEN ? ELSE ? END';

/** Ids that are numbers are sorted as numbers. */
const ID_ORDERS = {
  modified: { asc: 'r.updated_at', desc: 'r.updated_at DESC' },
  id: {
    asc: 'CAST(r.external_id AS INTEGER), r.external_id COLLATE NOCASE',
    desc: 'CAST(r.external_id AS INTEGER) DESC, r.external_id COLLATE NOCASE DESC',
  },
  action: {
    asc: 'r.deleted_at IS NOT NULL, r.created_at <> r.updated_at, r.updated_at DESC',
    desc: 'r.deleted_at IS NULL, r.created_at = r.updated_at, r.updated_at DESC',
  },
} as const;

const PAGE_COLUMNS = `r.external_id AS externalId, r.created_at AS createdAt, r.updated_at AS updatedAt,
  r.deleted_at AS deletedAt, r.pruned_at AS prunedAt, p.sealed`;

/**
 * Batches arrive as one JSON list of `[external id, hash]`. They are joined by IN and by LEFT JOIN only: with a plain
 * join the planner may read the whole stream, and the list once per row.
 */
export class RecordsStore {
  /** Marks live records that already have the given payload; returns their number. */
  async markUnchanged(tx: Transaction, streamId: number, jobId: number, batch: string): Promise<number> {
    const { changes } = await tx.run(
      `UPDATE records SET seen_job_id = MAX(seen_job_id, ?)
       WHERE stream_id = ? AND (external_id, hash) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
         AND deleted_at IS NULL AND pruned_at IS NULL`,
      [jobId, streamId, batch],
    );
    return changes;
  }

  async markSeen(tx: Transaction, streamId: number, jobId: number, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.run(
      `UPDATE records SET seen_job_id = MAX(seen_job_id, ?)
       WHERE stream_id = ? AND external_id IN (SELECT value FROM json_each(?))`,
      [jobId, streamId, JSON.stringify(ids)],
    );
  }

  /**
   * The records of the batch that `markUnchanged` did not mark. One text is far cheaper to receive than a row for each.
   */
  async listChanged(db: ReadHandle, streamId: number, batch: string): Promise<KnownRecord[]> {
    const row = await db.get<{ list: string }>(
      `SELECT json_group_array(json_array(b.key, r.payload_id, r.hash = b.value ->> 1,
         r.deleted_at IS NOT NULL, r.pruned_at IS NOT NULL, r.updated_at)) AS list
       FROM json_each(?) AS b LEFT JOIN records AS r ON r.stream_id = ? AND r.external_id = b.value ->> 0
       WHERE r.external_id IS NULL OR r.hash <> b.value ->> 1 OR r.deleted_at IS NOT NULL OR r.pruned_at IS NOT NULL`,
      [batch, streamId],
    );
    const list = JSON.parse(row?.list ?? '[]') as Array<[number, number | null, number, number, number, number]>;
    return list.map(([index, payloadId, isSameHash, isDeleted, isPruned, updatedAt]) => ({
      index,
      payloadId: payloadId ?? undefined,
      isSameHash: isSameHash === 1,
      isDeleted: isDeleted === 1,
      isPruned: isPruned === 1,
      updatedAt,
    }));
  }

  /**
   * Inserts, replaces or restores records. A deleted record counts as first seen now. The payloads are written
   * separately.
   */
  async upsert(tx: Transaction, streamId: number, jobId: number, scopes: RecordScope[]): Promise<void> {
    await tx.run(
      `INSERT INTO records (stream_id, external_id, hash, created_at, updated_at, seen_job_id, payload_id)
       SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 2, ?, value ->> 3 FROM json_each(?) WHERE TRUE
       ON CONFLICT (stream_id, external_id) DO UPDATE SET hash = excluded.hash,
         created_at = CASE WHEN records.deleted_at IS NULL THEN records.created_at ELSE excluded.created_at END,
         updated_at = excluded.updated_at, deleted_at = NULL, pruned_at = NULL, payload_id = excluded.payload_id,
         seen_job_id = MAX(records.seen_job_id, excluded.seen_job_id)`,
      [
        streamId,
        jobId,
        JSON.stringify(scopes.map((scope) => [scope.externalId, scope.hash, scope.stamp, scope.payloadId])),
      ],
    );
  }

  /** Marks pruned records as complete again; their position in the stream stays. */
  async restore(tx: Transaction, streamId: number, jobId: number, scopes: RecordScope[]): Promise<void> {
    await tx.run(
      `UPDATE records SET pruned_at = NULL, seen_job_id = MAX(seen_job_id, ?)
       WHERE stream_id = ? AND external_id IN (SELECT value FROM json_each(?))`,
      [jobId, streamId, JSON.stringify(scopes.map((scope) => scope.externalId))],
    );
  }

  /** All payloads are passed as one blob: without text encoding and without a parameter per row. */
  async writePayloads(tx: Transaction, writes: PayloadWrite[]): Promise<void> {
    let offset = 1;
    const ranges = writes.map(({ payloadId, sealed }) => {
      const range = [payloadId, offset, sealed.length];
      offset += sealed.length;
      return range;
    });
    await tx.run(
      `INSERT INTO record_payloads (id, sealed)
       SELECT value ->> 0, substr(?, value ->> 1, value ->> 2) FROM json_each(?) WHERE TRUE
       ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`,
      [Buffer.concat(writes.map((write) => write.sealed)), JSON.stringify(ranges)],
    );
  }

  /** Marks records as deleted; an unknown id gets a deleted row. `deletions` are `[external id, stamp]`. */
  async markDeleted(
    tx: Transaction,
    streamId: number,
    jobId: number,
    deletions: Array<[string, number]>,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO records (stream_id, external_id, hash, created_at, updated_at, deleted_at, seen_job_id, payload_id)
       SELECT ?, value ->> 0, '', value ->> 1, value ->> 1, value ->> 1, ?, 0 FROM json_each(?) WHERE TRUE
       ON CONFLICT (stream_id, external_id) DO UPDATE SET updated_at = excluded.updated_at, deleted_at = excluded.deleted_at,
         seen_job_id = MAX(records.seen_job_id, excluded.seen_job_id)`,
      [streamId, jobId, JSON.stringify(deletions)],
    );
  }

  /** Marks every live record as deleted that no run since `generation` has seen. */
  async deleteUnseen(
    tx: Transaction,
    streamId: number,
    generation: number,
    nowUs: number,
  ): Promise<{ ids: string[]; firstStamp: number }> {
    const firstStamp = (await this.#lastStamp(tx, nowUs)) + 1;
    const rows = await tx.all<{ externalId: string }>(
      `UPDATE records SET updated_at = o.stamp, deleted_at = o.stamp
       FROM (SELECT external_id, ? - 1 + ROW_NUMBER() OVER (ORDER BY updated_at) AS stamp FROM records
             WHERE stream_id = ? AND deleted_at IS NULL AND seen_job_id < ?) AS o
       WHERE records.stream_id = ? AND records.external_id = o.external_id RETURNING external_id AS externalId`,
      [firstStamp, streamId, generation, streamId],
    );
    if (rows.length > 0) await this.takeStamps(tx, rows.length, 0, nowUs);
    return { ids: rows.map((row) => row.externalId), firstStamp };
  }

  /**
   * Reserves `count` consecutive stamps and the requested number of payload ids, all of them new. Runs inside the write
   * transaction: the later commit has the later stamps, so readers miss no change.
   */
  async takeStamps(
    tx: Transaction,
    count: number,
    payloadIds: number,
    nowUs: number,
  ): Promise<{ stamp: number; payloadId: number }> {
    const row = await tx.get<{ stamp: number; payloadId: number }>(
      `UPDATE record_clock SET last_stamp = MAX(last_stamp + 1, ?1) + ?2 - 1, last_payload_id = last_payload_id + ?3
       RETURNING last_stamp - ?2 + 1 AS stamp, last_payload_id - ?3 + 1 AS payloadId`,
      [nowUs, count, payloadIds],
    );
    if (!row) throw new Error('The record clock is missing.');
    return row;
  }

  async #lastStamp(db: ReadHandle, nowUs: number): Promise<number> {
    const row = await db.get<{ last: number }>('SELECT MAX(last_stamp, ?) AS last FROM record_clock', [nowUs - 1]);
    return row?.last ?? nowUs;
  }

  /** Live records of the batch with their payloads. */
  async listPayloads(db: ReadHandle, streamId: number, ids: string[]): Promise<StoredPayload[]> {
    return db.all(
      `SELECT r.external_id AS externalId, r.hash, r.payload_id AS payloadId, r.updated_at AS updatedAt, p.sealed
       FROM records AS r LEFT JOIN record_payloads AS p ON p.id = r.payload_id AND r.pruned_at IS NULL
       WHERE r.stream_id = ? AND r.deleted_at IS NULL AND r.external_id IN (SELECT value FROM json_each(?))`,
      [streamId, JSON.stringify(ids)],
    );
  }

  /** Sorted by time of change. */
  async listPage(db: ReadHandle, query: RecordPageQuery): Promise<RecordRow[]> {
    const { added, updated, deleted } = query.actions;
    // A few ids are found by the primary key; without the plus the planner reads the stream in the order of changes.
    const updatedAt = query.ids ? '+r.updated_at' : 'r.updated_at';
    const where = new Conditions(`r.stream_id = ? AND ${updatedAt} >= ?`, query.streamId, query.from);
    if (!(added && updated && deleted)) where.add(ACTION_CASE, Number(deleted), Number(added), Number(updated));
    where.addOneOf('r.external_id', query.ids);
    return db.all(
      `SELECT ${PAGE_COLUMNS} FROM records AS r ${query.ids ? '' : 'INDEXED BY records_by_change'}
       LEFT JOIN record_payloads AS p ON p.id = r.payload_id
       WHERE ${where.sql} ORDER BY ${updatedAt} LIMIT ?`,
      [...where.params, query.limit],
    );
  }

  /** Ids of the records, without payloads, as one text instead of a row for each. */
  async listIds(db: ReadHandle, query: RecordIdsQuery): Promise<IdList> {
    const { streamId, after, until, actions, order } = query;
    const { added, updated, deleted } = actions;
    const isAll = added && updated && deleted;
    // The inner order is the order of the lines: SQLite keeps it for an aggregate that joins texts, and does not sort
    // where an index has that order. An ORDER BY inside the aggregate would always sort.
    const row = await db.get<{ lines: string | null }>(
      `SELECT group_concat(json_quote(id), char(10)) AS lines FROM (
         SELECT r.external_id AS id FROM records AS r INDEXED BY records_by_change
         WHERE r.stream_id = ? AND r.updated_at > ? AND r.updated_at <= ? ${isAll ? '' : `AND ${ACTION_CASE}`}
         ORDER BY ${ID_ORDERS[order.by][order.direction]})`,
      [streamId, after, until, ...(isAll ? [] : [Number(deleted), Number(added), Number(updated)])],
    );
    return new IdList(row?.lines ?? '');
  }

  async findLastStamp(db: ReadHandle, streamId: number): Promise<number> {
    const row = await db.get<{ last: number | null }>(
      'SELECT MAX(updated_at) AS last FROM records WHERE stream_id = ?',
      [streamId],
    );
    return row?.last ?? 0;
  }

  /** The oldest records in `(after, until]` whose payload is not pruned yet. */
  async listPrunable(db: ReadHandle, range: PruneRange): Promise<PrunableRecord[]> {
    return db.all(
      `SELECT external_id AS externalId, payload_id AS payloadId, updated_at AS updatedAt FROM records INDEXED BY records_by_change
       WHERE stream_id = ? AND updated_at > ? AND updated_at <= ? AND pruned_at IS NULL ORDER BY updated_at LIMIT ?`,
      [range.streamId, range.after, range.until, range.limit],
    );
  }

  /** Removes the payloads of these records. */
  async prune(tx: Transaction, streamId: number, rows: PrunableRecord[], nowUs: number): Promise<void> {
    await tx.run(
      'UPDATE records SET pruned_at = ? WHERE stream_id = ? AND external_id IN (SELECT value FROM json_each(?))',
      [nowUs, streamId, JSON.stringify(rows.map((row) => row.externalId))],
    );
    await tx.run('DELETE FROM record_payloads WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(rows.map((row) => row.payloadId)),
    ]);
  }

  /** Removes up to `limit` rows permanently; resolves to the number removed. */
  async purge(tx: Transaction, streamId: number, limit: number): Promise<number> {
    const rows = await tx.all<{ externalId: string; payloadId: number }>(
      'SELECT external_id AS externalId, payload_id AS payloadId FROM records WHERE stream_id = ? LIMIT ?',
      [streamId, limit],
    );
    await tx.run('DELETE FROM record_payloads WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(rows.map((row) => row.payloadId)),
    ]);
    await tx.run('DELETE FROM records WHERE stream_id = ? AND external_id IN (SELECT value FROM json_each(?))', [
      streamId,
      JSON.stringify(rows.map((row) => row.externalId)),
    ]);
    return rows.length;
  }
}
