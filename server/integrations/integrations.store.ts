import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface IntegrationRow {
  id: number;
  environmentId: number;
  uniqueKey: string;
  provider: string;
  /** The integration's own name; null means the provider's name. */
  displayName: string | null;
  /** Sealed JSON of the app credentials; null when the auth mode has none, or none were given. */
  credentials: string | null;
  /** Sealed JSON of the values that are asked when the integration is created. */
  custom: string | null;
  forwardsWebhooks: boolean;
  createdAt: number;
  updatedAt: number;
}

interface SqlRow {
  id: number;
  environment_id: number;
  unique_key: string;
  provider: string;
  display_name: string | null;
  credentials: string | null;
  custom: string | null;
  forward_webhooks: number;
  created_at: number;
  updated_at: number;
}

/** An id that no integration had before, also none of a deleted environment: sealed values belong to ids. */
const NEXT_ID = `(SELECT max(COALESCE((SELECT max(id) FROM integrations), 0),
  COALESCE((SELECT max(last_integration_id) FROM deleted_environments), 0)) + 1)`;

const COLUMNS =
  'id, environment_id, unique_key, provider, display_name, credentials, custom, forward_webhooks, created_at, updated_at';

function toIntegration(row: SqlRow): IntegrationRow {
  return {
    id: row.id,
    environmentId: row.environment_id,
    uniqueKey: row.unique_key,
    provider: row.provider,
    displayName: row.display_name,
    credentials: row.credentials,
    custom: row.custom,
    forwardsWebhooks: row.forward_webhooks === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export class IntegrationsStore {
  async findByKey(db: ReadHandle, environmentId: number, uniqueKey: string): Promise<IntegrationRow | undefined> {
    const row = await db.get<SqlRow>(
      `SELECT ${COLUMNS} FROM integrations WHERE environment_id = ? AND unique_key = ? AND deleted_at IS NULL`,
      [environmentId, uniqueKey],
    );
    return row && toIntegration(row);
  }

  async findById(db: ReadHandle, id: number): Promise<IntegrationRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM integrations WHERE id = ? AND deleted_at IS NULL`, [id]);
    return row && toIntegration(row);
  }

  /** Sorted by provider, then by time of creation (http-api.md 3). */
  async list(db: ReadHandle, environmentId: number): Promise<IntegrationRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM integrations WHERE environment_id = ? AND deleted_at IS NULL ORDER BY provider, created_at, id`,
      [environmentId],
    );
    return rows.map(toIntegration);
  }

  async insert(tx: Transaction, row: Omit<IntegrationRow, 'id' | 'credentials' | 'custom'>): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO integrations (id, environment_id, unique_key, provider, display_name, forward_webhooks, created_at, updated_at)
       VALUES (${NEXT_ID}, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.environmentId,
        row.uniqueKey,
        row.provider,
        row.displayName,
        row.forwardsWebhooks ? 1 : 0,
        row.createdAt,
        row.updatedAt,
      ],
    );
    return lastId;
  }

  async update(tx: Transaction, row: IntegrationRow): Promise<void> {
    await tx.run(
      `UPDATE integrations SET unique_key = ?, display_name = ?, credentials = ?, custom = ?, forward_webhooks = ?, updated_at = ?
       WHERE id = ?`,
      [
        row.uniqueKey,
        row.displayName,
        row.credentials,
        row.custom,
        row.forwardsWebhooks ? 1 : 0,
        row.updatedAt,
        row.id,
      ],
    );
  }

  /**
   * Soft delete: the row stays for a while, with only its keys and times (design.md 7.36). Resolves to false when it was
   * deleted before.
   */
  async remove(tx: Transaction, id: number, now: number): Promise<boolean> {
    const { changes } = await tx.run(
      `UPDATE integrations SET deleted_at = ?, credentials = NULL, custom = NULL, display_name = NULL,
         forward_webhooks = 0 WHERE id = ? AND deleted_at IS NULL`,
      [now, id],
    );
    return changes > 0;
  }

  /**
   * Removes rows deleted before `before` that no connection refers to; resolves to the number removed. The highest id
   * is kept: SQLite would give it to the next integration.
   */
  async purgeDeleted(
    tx: Transaction,
    { environmentId, before }: { environmentId: number; before: number },
  ): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM integrations WHERE environment_id = ? AND deleted_at < ?
         AND id < (SELECT max(id) FROM integrations)
         AND NOT EXISTS (SELECT 1 FROM connections WHERE connections.integration_id = integrations.id)`,
      [environmentId, before],
    );
    return changes;
  }

  async hasProvider(db: ReadHandle, provider: string): Promise<boolean> {
    return (
      (await db.get('SELECT 1 FROM integrations WHERE provider = ? AND deleted_at IS NULL LIMIT 1', [provider])) !==
      undefined
    );
  }

  /** Whether any connection uses the provider. */
  async isProviderInUse(db: ReadHandle, provider: string): Promise<boolean> {
    const row = await db.get(
      `SELECT 1 FROM connections
       JOIN integrations ON integrations.id = connections.integration_id
       WHERE integrations.provider = ? AND integrations.deleted_at IS NULL AND connections.deleted_at IS NULL LIMIT 1`,
      [provider],
    );
    return row !== undefined;
  }
}
