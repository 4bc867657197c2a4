import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { type ConnectionFilter, conditionsOf } from './connection-filter.store.ts';
import {
  COLUMNS,
  type ConnectionRow,
  type ConnectionWrite,
  type SqlRow,
  toConnection,
  writeValues,
} from './connection-row.store.ts';

export type { ConnectionFilter } from './connection-filter.store.ts';
export type { ConnectionRow, ConnectionWrite, EndUserCopy } from './connection-row.store.ts';

export type ConnectionWithErrors = ConnectionRow & { errors: Array<Pick<ConnectionErrorRow, 'type' | 'logId'>> };

export type ConnectionErrorRow = { connectionRowId: number; type: 'auth' | 'sync'; logId: string };

export interface UnusedFilter {
  /** Milliseconds since the epoch. */
  fetchedBefore: number;
  /** Lists rows after this row id. */
  afterId: number;
  limit: number;
}

/** An id that no connection had before, also none of a deleted environment: sealed values belong to ids. */
const NEXT_ID = `(SELECT max(COALESCE((SELECT max(id) FROM connections), 0),
  COALESCE((SELECT max(last_connection_id) FROM deleted_environments), 0)) + 1)`;

const FROM = 'FROM connections c JOIN integrations i ON i.id = c.integration_id';
const SELECT = `SELECT ${COLUMNS} ${FROM}`;
/** With the active errors as JSON text, oldest first. */
const SELECT_WITH_ERRORS = `SELECT ${COLUMNS},
  (SELECT json_group_array(json_object('type', type, 'logId', log_id) ORDER BY created_at)
    FROM connection_errors WHERE connection_row_id = c.id) AS errors ${FROM}`;

const withErrors = (row: SqlRow & { errors: string }): ConnectionWithErrors => ({
  ...toConnection(row),
  errors: JSON.parse(row.errors) as ConnectionWithErrors['errors'],
});

export class ConnectionsStore {
  async find(db: ReadHandle, integrationId: number, connectionId: string): Promise<ConnectionRow | undefined> {
    const row = await db.get<SqlRow>(
      `${SELECT} WHERE c.integration_id = ? AND c.connection_id = ? AND c.deleted_at IS NULL`,
      [integrationId, connectionId],
    );
    return row && toConnection(row);
  }

  async findByRowId(db: ReadHandle, id: number): Promise<ConnectionRow | undefined> {
    const row = await db.get<SqlRow>(`${SELECT} WHERE c.id = ? AND c.deleted_at IS NULL`, [id]);
    return row && toConnection(row);
  }

  /** As `find`, with the active errors, oldest first. */
  async findWithErrors(
    db: ReadHandle,
    by: { integrationId: number; connectionId: string },
  ): Promise<ConnectionWithErrors | undefined> {
    const row = await db.get<SqlRow & { errors: string }>(
      `${SELECT_WITH_ERRORS} WHERE c.integration_id = ? AND c.connection_id = ? AND c.deleted_at IS NULL`,
      [by.integrationId, by.connectionId],
    );
    return row && withErrors(row);
  }

  /** As `findWithErrors`, of several connections in any order. */
  async listWithErrors(db: ReadHandle, ids: readonly number[]): Promise<ConnectionWithErrors[]> {
    const rows = await db.all<SqlRow & { errors: string }>(
      `${SELECT_WITH_ERRORS} WHERE c.id IN (SELECT value FROM json_each(?)) AND c.deleted_at IS NULL`,
      [JSON.stringify(ids)],
    );
    return rows.map(withErrors);
  }

  async listUnused(db: ReadHandle, { fetchedBefore, afterId, limit }: UnusedFilter): Promise<ConnectionRow[]> {
    const rows = await db.all<SqlRow>(
      `${SELECT} WHERE c.id > ? AND c.deleted_at IS NULL AND c.is_refresh_exhausted = 0
         AND (c.last_fetched_at IS NULL OR c.last_fetched_at < ?)
         AND c.environment_id NOT IN (SELECT id FROM deleted_environments) ORDER BY c.id LIMIT ?`,
      [afterId, fetchedBefore, limit],
    );
    return rows.map(toConnection);
  }

  /** In any order; removed connections are left out. */
  async listByRowIds(db: ReadHandle, ids: number[]): Promise<ConnectionRow[]> {
    const rows = await db.all<SqlRow>(
      `${SELECT} WHERE c.id IN (SELECT value FROM json_each(?)) AND c.deleted_at IS NULL`,
      [JSON.stringify(ids)],
    );
    return rows.map(toConnection);
  }

  /** Every live connection of an integration, oldest first. */
  async listOfIntegration(db: ReadHandle, integrationId: number): Promise<Array<{ id: number; connectionId: string }>> {
    return db.all(
      'SELECT id, connection_id AS connectionId FROM connections WHERE integration_id = ? AND deleted_at IS NULL ORDER BY id',
      [integrationId],
    );
  }

  async countByIntegration(db: ReadHandle, environmentId: number): Promise<Map<number, number>> {
    const rows = await db.all<{ integration_id: number; total: number }>(
      `SELECT integration_id, COUNT(*) AS total FROM connections
       WHERE environment_id = ? AND deleted_at IS NULL GROUP BY integration_id`,
      [environmentId],
    );
    return new Map(rows.map((row) => [row.integration_id, row.total]));
  }

  /** Newest first; all given filters must match. */
  async list(db: ReadHandle, filter: ConnectionFilter): Promise<ConnectionRow[]> {
    const { sql: where, params } = conditionsOf(filter);
    const rows = await db.all<SqlRow>(
      `${SELECT} WHERE ${where} ORDER BY c.created_at DESC, c.id DESC LIMIT ? OFFSET ?`,
      [...params, filter.limit, filter.offset],
    );
    return rows.map(toConnection);
  }

  async count(db: ReadHandle, filter: ConnectionFilter): Promise<number> {
    const { sql: where, params } = conditionsOf(filter);
    const row = await db.get<{ total: number }>(`SELECT COUNT(*) AS total ${FROM} WHERE ${where}`, params);
    return row?.total ?? 0;
  }

  /** As `find`; when there is no connection, the row id that a new one gets in this transaction. */
  async findOrNextId(
    tx: Transaction,
    integrationId: number,
    connectionId: string,
  ): Promise<{ found: ConnectionRow } | { found: undefined; nextId: number }> {
    const row = await tx.get<(SqlRow | { [Column in keyof SqlRow]: null }) & { next_id: number }>(
      `SELECT ${NEXT_ID} AS next_id, ${COLUMNS}
       FROM (SELECT 1) LEFT JOIN (connections c JOIN integrations i ON i.id = c.integration_id)
         ON c.integration_id = ? AND c.connection_id = ? AND c.deleted_at IS NULL`,
      [integrationId, connectionId],
    );
    if (!row) throw new Error('A query without a condition gave no row.');
    return row.id === null ? { found: undefined, nextId: row.next_id } : { found: toConnection(row) };
  }

  /** Inserts a connection with the id from `findOrNextId`. Returns false when the integration was removed meanwhile. */
  async insert(
    tx: Transaction,
    row: ConnectionWrite & Pick<ConnectionRow, 'id' | 'integrationId' | 'connectionId' | 'createdAt'>,
  ): Promise<boolean> {
    const { changes } = await tx.run(
      `INSERT INTO connections (id, environment_id, integration_id, connection_id, credentials, credentials_type,
         credentials_expire_at, credentials_end_at, credentials_obtained_at, connection_config, sealed_config, metadata, tags, end_user,
         webhook_url_override, last_refresh_success_at, last_refresh_failure_at, refresh_attempts, is_refresh_exhausted, created_at,
         updated_at)
       SELECT ?, environment_id, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM integrations
       WHERE id = ? AND deleted_at IS NULL`,
      [row.id, row.connectionId, ...writeValues(row), row.createdAt, row.createdAt, row.integrationId],
    );
    return changes > 0;
  }

  async update(tx: Transaction, id: number, row: ConnectionWrite, now: number): Promise<void> {
    await tx.run(
      `UPDATE connections SET credentials = ?, credentials_type = ?, credentials_expire_at = ?, credentials_end_at = ?,
         credentials_obtained_at = ?, connection_config = ?, sealed_config = ?, metadata = ?, tags = ?, end_user = ?, webhook_url_override = ?, last_refresh_success_at = ?,
         last_refresh_failure_at = ?, refresh_attempts = ?, is_refresh_exhausted = ?, updated_at = ?
       WHERE id = ?`,
      [...writeValues(row), now, id],
    );
  }

  async updateLogLevel(tx: Transaction, id: number, logLevel: ConnectionRow['logLevel'], now: number): Promise<void> {
    await tx.run('UPDATE connections SET log_level = ?, updated_at = ? WHERE id = ?', [logLevel, now, id]);
  }

  async updateMetadata(
    tx: Transaction,
    ids: number[],
    metadata: Array<Record<string, unknown>>,
    now: number,
  ): Promise<void> {
    await tx.run(
      `UPDATE connections SET metadata = patch.value ->> 'metadata', updated_at = ?
       FROM json_each(?) AS patch WHERE connections.id = patch.value ->> 'id'`,
      [now, JSON.stringify(ids.map((id, index) => ({ id, metadata: JSON.stringify(metadata[index]) })))],
    );
  }

  /** With `usedAt` null the time of the last use stays as it is. */
  async touchFetched(
    tx: Transaction,
    fetched: Array<[id: number, fetchedAt: number, usedAt: number | null]>,
  ): Promise<void> {
    await tx.run(
      `UPDATE connections SET last_fetched_at = seen.value ->> 1,
         last_used_at = COALESCE(seen.value ->> 2, last_used_at)
       FROM json_each(?) AS seen WHERE connections.id = seen.value ->> 0`,
      [JSON.stringify(fetched)],
    );
  }

  /** Soft delete: the row stays for a while, with only its names and times (design.md 7.36). */
  async remove(tx: Transaction, ids: number[], now: number): Promise<number> {
    const list = JSON.stringify(ids);
    const { changes } = await tx.run(
      `UPDATE connections SET deleted_at = ?, credentials = '', credentials_type = NULL, credentials_expire_at = NULL, credentials_end_at = NULL,
         connection_config = '{}', sealed_config = NULL, metadata = NULL, tags = '{}', end_user = NULL,
         webhook_url_override = NULL, log_level = NULL
       WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))`,
      [now, list],
    );
    await tx.run('DELETE FROM connection_errors WHERE connection_row_id IN (SELECT value FROM json_each(?))', [list]);
    return changes;
  }

  /**
   * Removes up to `limit` rows deleted before `before`; resolves to the number removed. The highest id is kept: SQLite
   * would give it to the next connection, and sealed values and logs belong to ids.
   */
  async purgeDeleted(
    tx: Transaction,
    { environmentId, before, limit }: { environmentId: number; before: number; limit: number },
  ): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM connections WHERE id IN (SELECT id FROM connections
         WHERE environment_id = ? AND deleted_at < ? AND id < (SELECT max(id) FROM connections) LIMIT ?)`,
      [environmentId, before, limit],
    );
    return changes;
  }

  async listErrors(db: ReadHandle, ids: number[]): Promise<ConnectionErrorRow[]> {
    if (ids.length === 0) return [];
    return db.all(
      `SELECT connection_row_id AS connectionRowId, type, log_id AS logId FROM connection_errors
       WHERE connection_row_id IN (SELECT value FROM json_each(?)) ORDER BY created_at`,
      [JSON.stringify(ids)],
    );
  }

  /** Does nothing when the connection is gone. */
  async upsertError(
    tx: Transaction,
    error: { id: number; type: 'auth' | 'sync'; source: string; logId: string; now: number },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO connection_errors (connection_row_id, type, source, log_id, created_at)
       SELECT id, ?2, ?3, ?4, ?5 FROM connections WHERE id = ?1
       ON CONFLICT (connection_row_id, type, source) DO UPDATE SET log_id = excluded.log_id, created_at = excluded.created_at`,
      [error.id, error.type, error.source, error.logId, error.now],
    );
  }

  async removeErrors(tx: Transaction, id: number, type: 'auth' | 'sync', source: string): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM connection_errors WHERE connection_row_id = ? AND type = ? AND source = ?',
      [id, type, source],
    );
    return changes;
  }
}
