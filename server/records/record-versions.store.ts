import type { ReadHandle, SqlValue, Transaction } from '../platform/database/database.ts';
import type { RecordRow } from './records.store.ts';

/** The run that made a change; empty when no run made it, or when it was made before the history began. */
export interface RecordAuthor {
  jobId: number | null;
  operationId: string | null;
}

export interface VersionRow extends RecordRow, RecordAuthor {}

/** A record at a past time. `updatedAt` is null when its state of that time is not kept any more. */
export type PastRow = Omit<RecordRow, 'updatedAt'> & { updatedAt: number | null };

export interface VersionKey {
  externalId: string;
  stamp: number;
  payloadId: number;
}

const SAME_RECORD = 'v.stream_id = r.stream_id AND v.external_id = r.external_id';
/** Of a version. Deleting an id that was never saved creates a version without a payload, which cannot be pruned. */
const PRUNED_AT = 'IIF(p.id IS NULL AND v.payload_id <> 0, COALESCE(r.pruned_at, v.stamp), NULL)';

/**
 * Versions of records. The newest version shares the payload of its record; every payload belongs to one record and to
 * versions of that record only.
 */
export class RecordVersionsStore {
  /** Before a change: stores the row that will be replaced as a version, unless it is one already. */
  async keepReplaced(tx: Transaction, streamId: number, ids: string[]): Promise<void> {
    await this.#keep(tx, 'external_id IN (SELECT value FROM json_each(?))', [streamId, JSON.stringify(ids)]);
  }

  /** As `keepReplaced`, before the deletion of records that no run since `generation` has seen. */
  async keepUnseen(tx: Transaction, streamId: number, generation: number): Promise<void> {
    await this.#keep(tx, 'deleted_at IS NULL AND seen_job_id < ?', [streamId, generation]);
  }

  async #keep(tx: Transaction, which: string, params: SqlValue[]): Promise<void> {
    await tx.run(
      `INSERT INTO record_versions (stream_id, external_id, stamp, created_at, is_deleted, payload_id)
       SELECT stream_id, external_id, updated_at, created_at, deleted_at IS NOT NULL, payload_id FROM records
       WHERE stream_id = ? AND ${which} ON CONFLICT DO NOTHING`,
      params,
    );
  }

  /** After a change: adds versions for what it wrote, which is everything after `firstStamp`. */
  async add(tx: Transaction, streamId: number, firstStamp: number, author: RecordAuthor): Promise<void> {
    await tx.run(
      `INSERT INTO record_versions (stream_id, external_id, stamp, created_at, is_deleted, payload_id, job_id, operation_id)
       SELECT stream_id, external_id, updated_at, created_at, deleted_at IS NOT NULL, payload_id, ?, ?
       FROM records INDEXED BY records_by_change WHERE stream_id = ? AND updated_at >= ?`,
      [author.jobId, author.operationId, streamId, firstStamp],
    );
  }

  /** Newest first. A record that never changed since the history began has one version, the record itself. */
  async list(db: ReadHandle, streamId: number, externalId: string): Promise<VersionRow[]> {
    const rows = await db.all<VersionRow>(
      `SELECT v.external_id AS externalId, v.created_at AS createdAt, v.stamp AS updatedAt,
         IIF(v.is_deleted, v.stamp, NULL) AS deletedAt, ${PRUNED_AT} AS prunedAt, p.sealed, v.job_id AS jobId, v.operation_id AS operationId
       FROM record_versions AS v JOIN records AS r ON ${SAME_RECORD}
       LEFT JOIN record_payloads AS p ON p.id = v.payload_id
       WHERE v.stream_id = ? AND v.external_id = ? ORDER BY v.stamp DESC`,
      [streamId, externalId],
    );
    if (rows.length > 0) return rows;
    return db.all(
      `SELECT r.external_id AS externalId, r.created_at AS createdAt, r.updated_at AS updatedAt, r.deleted_at AS deletedAt,
         r.pruned_at AS prunedAt, p.sealed, NULL AS jobId, NULL AS operationId
       FROM records AS r LEFT JOIN record_payloads AS p ON p.id = r.payload_id WHERE r.stream_id = ? AND r.external_id = ?`,
      [streamId, externalId],
    );
  }

  /** Every record as it was at a time, sorted by id; records that did not exist yet are left out. */
  async listAsOf(
    db: ReadHandle,
    query: { streamId: number; at: number; after: string; ids: string[] | undefined; limit: number },
  ): Promise<PastRow[]> {
    return db.all(
      `SELECT r.external_id AS externalId, IIF(r.updated_at <= ?1, r.created_at, v.created_at) AS createdAt,
         IIF(r.updated_at <= ?1, r.updated_at, v.stamp) AS updatedAt,
         IIF(r.updated_at <= ?1, r.deleted_at, IIF(v.is_deleted, v.stamp, NULL)) AS deletedAt,
         IIF(r.updated_at <= ?1, r.pruned_at, ${PRUNED_AT}) AS prunedAt, p.sealed
       FROM records AS r
       LEFT JOIN record_versions AS v ON r.updated_at > ?1 AND ${SAME_RECORD} AND v.stamp = (
         SELECT MAX(v.stamp) FROM record_versions AS v WHERE ${SAME_RECORD} AND v.stamp <= ?1)
       LEFT JOIN record_payloads AS p ON p.id = IIF(r.updated_at <= ?1, r.payload_id, v.payload_id)
       WHERE r.stream_id = ?2 AND r.external_id > ?3
         ${query.ids ? 'AND r.external_id IN (SELECT value FROM json_each(?5))' : ''}
         AND (r.updated_at <= ?1 OR v.stamp IS NOT NULL
           OR EXISTS (SELECT 1 FROM record_versions AS v WHERE ${SAME_RECORD} AND v.is_cut = 1))
       ORDER BY r.external_id LIMIT ?4`,
      [query.at, query.streamId, query.after, query.limit, ...(query.ids ? [JSON.stringify(query.ids)] : [])],
    );
  }

  /**
   * Versions beyond the newest `mostVersions` of their record, and versions that were replaced at `before` or earlier.
   */
  async listSurplus(
    db: ReadHandle,
    query: { streamId: number; mostVersions: number; before: number; from: string; limit: number },
  ): Promise<VersionKey[]> {
    return db.all(
      `SELECT externalId, stamp, payloadId FROM (
         SELECT external_id AS externalId, stamp, payload_id AS payloadId,
           LEAD(stamp) OVER (PARTITION BY external_id ORDER BY stamp) AS replaced_at,
           ROW_NUMBER() OVER (PARTITION BY external_id ORDER BY stamp DESC) AS place
         FROM record_versions WHERE stream_id = ? AND external_id >= ?)
       WHERE replaced_at <= ? OR place > ? ORDER BY externalId, stamp LIMIT ?`,
      [query.streamId, query.from, query.before, query.mostVersions, query.limit],
    );
  }

  async listAny(db: ReadHandle, streamId: number, limit: number): Promise<VersionKey[]> {
    return db.all(
      `SELECT external_id AS externalId, stamp, payload_id AS payloadId FROM record_versions WHERE stream_id = ? LIMIT ?`,
      [streamId, limit],
    );
  }

  /** Removes versions, and their payloads when neither the record nor another version uses them. */
  async remove(tx: Transaction, streamId: number, versions: VersionKey[]): Promise<void> {
    const keys = JSON.stringify(versions.map(({ externalId, stamp, payloadId }) => [externalId, stamp, payloadId]));
    await tx.run(
      `DELETE FROM record_versions WHERE stream_id = ?
         AND (external_id, stamp) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
      [streamId, keys],
    );
    await tx.run(
      `DELETE FROM record_payloads WHERE id IN (SELECT b.value ->> 2 FROM json_each(?1) AS b
         WHERE NOT EXISTS (SELECT 1 FROM records AS r WHERE r.stream_id = ?2 AND r.external_id = b.value ->> 0
             AND r.payload_id = b.value ->> 2)
           AND NOT EXISTS (SELECT 1 FROM record_versions AS v WHERE v.stream_id = ?2 AND v.external_id = b.value ->> 0
             AND v.payload_id = b.value ->> 2))`,
      [keys, streamId],
    );
  }

  /** Marks the oldest remaining version, to show that earlier ones were removed. */
  async markCut(tx: Transaction, streamId: number, ids: string[]): Promise<void> {
    const list = JSON.stringify(ids);
    await tx.run(
      `UPDATE record_versions SET is_cut = 1 WHERE stream_id = ?1 AND (external_id, stamp) IN (
         SELECT external_id, MIN(stamp) FROM record_versions
         WHERE stream_id = ?1 AND external_id IN (SELECT value FROM json_each(?2)) GROUP BY external_id)`,
      [streamId, list],
    );
  }

  /** Removes the payloads of all versions of these records. */
  async removePayloads(tx: Transaction, streamId: number, ids: string[]): Promise<void> {
    await tx.run(
      `DELETE FROM record_payloads WHERE id IN (SELECT payload_id FROM record_versions
         WHERE stream_id = ? AND external_id IN (SELECT value FROM json_each(?)))`,
      [streamId, JSON.stringify(ids)],
    );
  }

  /**
   * The last stamp of each run that changed records after `after`, and of each minute with other changes; newest first.
   */
  async listMoments(
    db: ReadHandle,
    { streamId, after, limit }: { streamId: number; after: number; limit: number },
  ): Promise<number[]> {
    const rows = await db.all<{ stamp: number }>(
      `SELECT MAX(stamp) AS stamp FROM record_versions WHERE stream_id = ? AND stamp > ?
       GROUP BY COALESCE(operation_id, stamp / 60000000) ORDER BY MAX(stamp) DESC LIMIT ?`,
      [streamId, after, limit],
    );
    return rows.map(({ stamp }) => stamp);
  }

  /** Size of the stream's history, without the records themselves. */
  async measure(db: ReadHandle, streamId: number): Promise<{ versions: number; bytes: number }> {
    const row = await db.get<{ versions: number; bytes: number }>(
      `SELECT count(*) AS versions, COALESCE(SUM(length(p.sealed)), 0) AS bytes FROM record_versions AS v
       JOIN records AS r ON ${SAME_RECORD} AND r.updated_at <> v.stamp
       LEFT JOIN record_payloads AS p ON p.id = v.payload_id WHERE v.stream_id = ?`,
      [streamId],
    );
    return row ?? { versions: 0, bytes: 0 };
  }
}
