import type { ReadHandle, Transaction } from '../database/database.ts';

/** Tables whose rows belong to one environment, with their keys; what hangs on a row goes with it. */
export const ROWS_OF_ENVIRONMENTS = {
  webhook_deliveries: 'seq',
  webhook_destinations: 'seq',
  incoming_webhooks: 'seq',
  action_calls: 'id',
  functions: 'id',
  connect_sessions: 'lookup_hash',
  oauth_states: 'id',
  audit_entries: 'seq',
  notifications: 'id',
} as const;

/** What a job is about, by the member of its payload that names it. */
const JOB_OWNERS = {
  callId: { table: 'action_calls', key: 'id' },
  deliveryId: { table: 'webhook_deliveries', key: 'id' },
  runId: { table: 'webhook_runs', key: 'id' },
  syncId: { table: 'syncs', key: 'id' },
  connectionRowId: { table: 'connections', key: 'id' },
} as const;

/** What is left of environments that were deleted (`EnvironmentsStore.markDeleted`). */
export class DeletedEnvironmentsStore {
  /** Those of which something is left. */
  async listUnfinished(db: ReadHandle): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      'SELECT e.id FROM environments AS e JOIN deleted_environments AS d ON d.id = e.id ORDER BY d.deleted_at, d.id',
    );
    return rows.map(({ id }) => id);
  }

  /** Some of its connections, deleted ones included. */
  async listConnectionIds(db: ReadHandle, environmentId: number, limit: number): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT id FROM connections WHERE environment_id = ?1 AND deleted_at IS NULL
       UNION ALL SELECT id FROM connections WHERE environment_id = ?1 AND deleted_at IS NOT NULL LIMIT ?2`,
      [environmentId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Up to `limit` ended and running jobs of the syncs of these connections; returns how many went. */
  async removeSyncJobs(tx: Transaction, connectionRowIds: number[], limit: number): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM sync_jobs WHERE id IN (SELECT j.id FROM syncs AS s JOIN sync_jobs AS j ON j.sync_row_id = s.row_id
         WHERE s.connection_row_id IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      [JSON.stringify(connectionRowIds), limit],
    );
    return changes;
  }

  /**
   * Up to `limit` queued jobs for rows of the environment, which their payloads name; returns how many went. Called
   * while those rows are there.
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

  /** Up to `limit` rows; returns how many went. */
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

  /** One, as each makes SQLite look through all connections for its own; returns whether there was one. */
  async removeIntegration(tx: Transaction, environmentId: number): Promise<boolean> {
    const { changes } = await tx.run(
      'DELETE FROM integrations WHERE id = (SELECT min(id) FROM integrations WHERE environment_id = ?)',
      [environmentId],
    );
    return changes > 0;
  }

  /** The rest, a few rows, and the environment itself. */
  async removeEnvironment(tx: Transaction, environmentId: number): Promise<void> {
    await tx.run('DELETE FROM log_sizes WHERE environment_id = ?', [environmentId]);
    await tx.run('DELETE FROM locks WHERE environment_id = ?', [environmentId]);
    await tx.run('DELETE FROM environments WHERE id = ?', [environmentId]);
  }
}
