import type { ReadHandle } from '../platform/database/database.ts';

/** A connection of the environment that is not deleted. */
export interface SourceConnection {
  rowId: number;
  integrationKey: string;
  connectionId: string;
  /** JSON text. */
  tags: string;
  endUserId: string | null;
}

/** The records of one model and variant of a connection. */
export interface SourceStream {
  id: number;
  connectionRowId: number;
  integrationKey: string;
  model: string;
  variant: string;
  /** Microseconds. */
  prunedUntil: number;
  /** Microseconds; 0 or less when no versions are kept. */
  historySince: number;
}

/** A record, or a version of one. Times are microseconds. */
export interface SourceRecord {
  externalId: string;
  createdAt: number;
  updatedAt: number;
  isDeleted: 0 | 1;
  /** Null after the payload was pruned. */
  sealed: Buffer | null;
}

export interface SourceModel {
  integrationKey: string;
  model: string;
  /** JSON text of the schema's definitions. */
  definitions: string;
}

/** Sums of times are of their rest by this: the sum of a million whole ones is too large for the database. */
export const STAMP_MODULUS = 1_000_000_007;

/** What queries read of the hub's database. Secrets are not among the columns; payloads stay sealed. */
export class RecordSourceStore {
  async listConnections(db: ReadHandle, environmentId: number): Promise<SourceConnection[]> {
    return db.all(
      `SELECT c.id AS rowId, i.unique_key AS integrationKey, c.connection_id AS connectionId, c.tags,
         COALESCE(c.end_user ->> 'id', c.tags ->> 'end_user_id') AS endUserId
       FROM connections AS c JOIN integrations AS i ON i.id = c.integration_id
       WHERE c.environment_id = ? AND c.deleted_at IS NULL AND i.deleted_at IS NULL ORDER BY c.id`,
      [environmentId],
    );
  }

  async listStreams(db: ReadHandle, environmentId: number): Promise<SourceStream[]> {
    return db.all(
      `SELECT s.id, s.connection_row_id AS connectionRowId, i.unique_key AS integrationKey, s.model, s.variant,
         s.pruned_until AS prunedUntil, s.history_since AS historySince
       FROM record_streams AS s JOIN connections AS c ON c.id = s.connection_row_id
       JOIN integrations AS i ON i.id = c.integration_id
       WHERE c.environment_id = ? AND s.retired = 0 AND c.deleted_at IS NULL AND i.deleted_at IS NULL ORDER BY s.id`,
      [environmentId],
    );
  }

  /** Streams of all environments, with the time up to which they are pruned. */
  async listCurrentStreams(db: ReadHandle): Promise<Array<Pick<SourceStream, 'id' | 'prunedUntil'>>> {
    return db.all(
      `SELECT s.id, s.pruned_until AS prunedUntil FROM record_streams AS s
       JOIN connections AS c ON c.id = s.connection_row_id WHERE s.retired = 0 AND c.deleted_at IS NULL`,
    );
  }

  /** The times of the last changes in the streams; null where there are none. */
  async listLastStamps(
    db: ReadHandle,
    streamIds: readonly number[],
  ): Promise<Array<{ id: number; stamp: number | null }>> {
    return db.all(
      `SELECT s.value AS id, (SELECT MAX(r.updated_at) FROM records AS r WHERE r.stream_id = s.value) AS stamp
       FROM json_each(?) AS s ORDER BY s.value`,
      [JSON.stringify(streamIds)],
    );
  }

  /** How many records the streams have, and the sum of the times of their last changes, by `STAMP_MODULUS`. */
  async sumStreams(
    db: ReadHandle,
    streamIds: readonly number[],
  ): Promise<Array<{ id: number; rows: number; sum: number }>> {
    return db.all(
      `SELECT stream_id AS id, count(*) AS rows, sum(updated_at % ?2) AS sum
       FROM records INDEXED BY records_by_change
       WHERE stream_id IN (SELECT value FROM json_each(?1)) GROUP BY stream_id ORDER BY stream_id`,
      [JSON.stringify(streamIds), STAMP_MODULUS],
    );
  }

  /** The models that syncs declare, in the order of their names. */
  async listModels(db: ReadHandle, environmentId: number): Promise<SourceModel[]> {
    return db.all(
      `SELECT f.integration_key AS integrationKey, m.value AS model,
         COALESCE(f.definition -> 'json_schema' -> 'definitions', '{}') AS definitions
       FROM functions AS f, json_each(f.definition -> 'output') AS m
       WHERE f.environment_id = ? AND f.type = 'sync' AND f.definition IS NOT NULL
       ORDER BY f.integration_key, m.value, f.is_enabled DESC, f.name`,
      [environmentId],
    );
  }

  /**
   * Records after a change, in the order of their changes. As one row: each costs the driver 4 µs. Payloads are one after the
   * other in one blob (SQLite joins bytes as they are): in JSON they would be twice as long, and copied twice more.
   */
  async listChanged(db: ReadHandle, streamId: number, after: number, limit: number): Promise<SourceRecord[]> {
    const row = await db.get<{ page: string; payloads: Buffer | null }>(
      `SELECT json_group_array(json_array(external_id, created_at, updated_at, is_deleted, length(sealed))) AS page,
         CAST(group_concat(sealed, '') AS BLOB) AS payloads
       FROM (
         SELECT r.external_id, r.created_at, r.updated_at, r.deleted_at IS NOT NULL AS is_deleted,
           IIF(r.pruned_at IS NULL, p.sealed, NULL) AS sealed
         FROM records AS r INDEXED BY records_by_change LEFT JOIN record_payloads AS p ON p.id = r.payload_id
         WHERE r.stream_id = ? AND r.updated_at > ? ORDER BY r.updated_at LIMIT ?)`,
      [streamId, after, limit],
    );
    const page = JSON.parse(row?.page ?? '[]') as Array<[string, number, number, 0 | 1, number | null]>;
    const payloads = row?.payloads ?? Buffer.alloc(0);
    let at = 0;
    return page.map(([externalId, createdAt, updatedAt, isDeleted, bytes]) => {
      const from = at;
      at += bytes ?? 0;
      const sealed = bytes === null ? null : payloads.subarray(from, at);
      return { externalId, createdAt, updatedAt, isDeleted, sealed };
    });
  }

  /** Time of the newest change of a stream; 0 without records. */
  async findNewest(db: ReadHandle, streamId: number): Promise<number> {
    const row = await db.get<{ newest: number | null }>(
      'SELECT MAX(updated_at) AS newest FROM records INDEXED BY records_by_change WHERE stream_id = ?',
      [streamId],
    );
    return row?.newest ?? 0;
  }

  /** Kept versions, the present one included, in the order of ids and times; after one of them. */
  async listVersions(
    db: ReadHandle,
    streamId: number,
    after: { externalId: string; updatedAt: number },
    limit: number,
  ): Promise<SourceRecord[]> {
    return db.all(
      `SELECT v.external_id AS externalId, v.created_at AS createdAt, v.stamp AS updatedAt, v.is_deleted AS isDeleted, p.sealed
       FROM record_versions AS v LEFT JOIN record_payloads AS p ON p.id = v.payload_id
       WHERE v.stream_id = ?1 AND (v.external_id, v.stamp) > (?2, ?3) ORDER BY v.external_id, v.stamp LIMIT ?4`,
      [streamId, after.externalId, after.updatedAt, limit],
    );
  }

  /** Records that have no version yet, because they did not change since their history began. */
  async listUnchanged(db: ReadHandle, streamId: number, after: number, limit: number): Promise<SourceRecord[]> {
    return db.all(
      `SELECT r.external_id AS externalId, r.created_at AS createdAt, r.updated_at AS updatedAt,
         r.deleted_at IS NOT NULL AS isDeleted, IIF(r.pruned_at IS NULL, p.sealed, NULL) AS sealed
       FROM records AS r INDEXED BY records_by_change LEFT JOIN record_payloads AS p ON p.id = r.payload_id
       WHERE r.stream_id = ?1 AND r.updated_at > ?2 AND NOT EXISTS (
         SELECT 1 FROM record_versions AS v WHERE v.stream_id = r.stream_id AND v.external_id = r.external_id)
       ORDER BY r.updated_at LIMIT ?3`,
      [streamId, after, limit],
    );
  }
}
