import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Tables with rows of one environment, and their keys. Foreign keys remove the rows that depend on these. */
export const ROWS_OF_ENVIRONMENTS = {
  webhook_deliveries: 'seq',
  webhook_destinations: 'seq',
  record_destinations: 'seq',
  incoming_webhooks: 'seq',
  action_calls: 'id',
  functions: 'id',
  connect_sessions: 'lookup_hash',
  oauth_states: 'id',
  audit_entries: 'seq',
  notifications: 'id',
  held_deletions: 'id',
  erasures: 'id',
} as const;

/** The tables that job payloads refer to, by the payload's member. */
const JOB_OWNERS = {
  callId: { table: 'action_calls', key: 'id' },
  destinationId: { table: 'record_destinations', key: 'id' },
  deliveryId: { table: 'webhook_deliveries', key: 'id' },
  runId: { table: 'webhook_runs', key: 'id' },
  syncId: { table: 'syncs', key: 'id' },
  connectionRowId: { table: 'connections', key: 'id' },
} as const;

/** The remaining rows of deleted environments (`EnvironmentsStore.markDeleted`). */
export class DeletedEnvironmentsStore {
  /** Ids of deleted environments that still have rows. */
  async listUnfinished(db: ReadHandle): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      'SELECT e.id FROM environments AS e JOIN deleted_environments AS d ON d.id = e.id ORDER BY d.deleted_at, d.id',
    );
    return rows.map(({ id }) => id);
  }

  /** Some connections of the environment, deleted ones included. */
  async listConnectionIds(db: ReadHandle, environmentId: number, limit: number): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT id FROM connections WHERE environment_id = ?1 AND deleted_at IS NULL
       UNION ALL SELECT id FROM connections WHERE environment_id = ?1 AND deleted_at IS NOT NULL LIMIT ?2`,
      [environmentId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes up to `limit` ended and running jobs of the syncs of these connections; resolves to the number removed. */
  async removeSyncJobs(tx: Transaction, connectionRowIds: number[], limit: number): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM sync_jobs WHERE id IN (SELECT j.id FROM syncs AS s JOIN sync_jobs AS j ON j.sync_row_id = s.row_id
         WHERE s.connection_row_id IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      [JSON.stringify(connectionRowIds), limit],
    );
    return changes;
  }

  /**
   * Removes up to `limit` queued jobs whose payloads refer to rows of the environment; resolves to the number removed.
   * Call it while those rows exist.
   */
  async removeQueuedJobs(tx: Transaction, environmentId: number, limit: number): Promise<number> {
    const names = Object.entries(JOB_OWNERS).map(
      ([member, { table, key }]) =>
        `payload ->> '${member}' IN (SELECT ${key} FROM ${table} WHERE environment_id = ?1)`,
    );
    const { changes } = await tx.run(
      `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'created' AND (${names.join(' OR ')}) LIMIT ?2)`,
      [environmentId, limit],
    );
    return changes;
  }

  async removeConnections(tx: Transaction, ids: number[]): Promise<void> {
    await tx.run('DELETE FROM connections WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)]);
  }

  /** Removes up to `limit` rows; resolves to the number removed. */
  async removeRows(
    tx: Transaction,
    { table, environmentId, limit }: { table: keyof typeof ROWS_OF_ENVIRONMENTS; environmentId: number; limit: number },
  ): Promise<number> {
    const key = ROWS_OF_ENVIRONMENTS[table];
    const { changes } = await tx.run(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE environment_id = ? LIMIT ?)`,
      [environmentId, limit],
    );
    return changes;
  }

  /** Removes one integration, because each makes SQLite search all connections; resolves to whether there was one. */
  async removeIntegration(tx: Transaction, environmentId: number): Promise<boolean> {
    const { changes } = await tx.run(
      'DELETE FROM integrations WHERE id = (SELECT min(id) FROM integrations WHERE environment_id = ?)',
      [environmentId],
    );
    return changes > 0;
  }

  /** Removes the remaining few rows and the environment itself. */
  async removeEnvironment(tx: Transaction, environmentId: number): Promise<void> {
    await tx.run('DELETE FROM log_sizes WHERE environment_id = ?', [environmentId]);
    await tx.run('DELETE FROM locks WHERE environment_id = ?', [environmentId]);
    await tx.run('DELETE FROM environments WHERE id = ?', [environmentId]);
  }
}
