import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface WebhookDestinationRow {
  id: string;
  environmentId: number;
  /** The name that a person gave it. */
  name: string | null;
  /** Sealed, because an address may contain a password or a token. */
  url: string;
  isEnabled: boolean;
  /** Types of webhooks that it receives; empty means all. */
  types: string[];
  /** Keys of the integrations whose webhooks it receives; empty means all. */
  integrations: string[];
}

interface StoredRow extends Omit<WebhookDestinationRow, 'isEnabled' | 'types' | 'integrations'> {
  isEnabled: number;
  types: string;
  integrations: string;
}

const COLUMNS = 'id, environment_id AS environmentId, name, url, is_enabled AS isEnabled, types, integrations';

/** Further destinations of outgoing webhooks. */
export class WebhookDestinationsStore {
  /** Oldest first. */
  async list(db: ReadHandle, environmentId: number): Promise<WebhookDestinationRow[]> {
    const rows = await db.all<StoredRow>(
      `SELECT ${COLUMNS} FROM webhook_destinations WHERE environment_id = ? ORDER BY seq`,
      [environmentId],
    );
    return rows.map(toRow);
  }

  async find(db: ReadHandle, id: string): Promise<WebhookDestinationRow | undefined> {
    const row = await db.get<StoredRow>(`SELECT ${COLUMNS} FROM webhook_destinations WHERE id = ?`, [id]);
    return row && toRow(row);
  }

  async insert(tx: Transaction, row: WebhookDestinationRow, now: number): Promise<void> {
    await tx.run(
      `INSERT INTO webhook_destinations
         (id, environment_id, name, url, is_enabled, types, integrations, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [row.id, row.environmentId, ...changeable(row), now, now],
    );
  }

  async update(tx: Transaction, row: WebhookDestinationRow, now: number): Promise<void> {
    await tx.run(
      `UPDATE webhook_destinations SET name = ?, url = ?, is_enabled = ?, types = ?, integrations = ?, updated_at = ?
       WHERE id = ?`,
      [...changeable(row), now, row.id],
    );
  }

  async remove(tx: Transaction, id: string): Promise<void> {
    await tx.run('DELETE FROM webhook_destinations WHERE id = ?', [id]);
  }

  /** Replaces the key in the filters when an integration gets another key. */
  async renameIntegration(
    tx: Transaction,
    { environmentId, from, to }: { environmentId: number; from: string; to: string },
  ): Promise<void> {
    await tx.run(
      `UPDATE webhook_destinations SET integrations =
         (SELECT json_group_array(CASE value WHEN ?2 THEN ?3 ELSE value END) FROM json_each(integrations))
       WHERE environment_id = ?1 AND EXISTS (SELECT 1 FROM json_each(integrations) WHERE value = ?2)`,
      [environmentId, from, to],
    );
  }
}

function toRow(row: StoredRow): WebhookDestinationRow {
  return {
    ...row,
    isEnabled: row.isEnabled === 1,
    types: JSON.parse(row.types) as string[],
    integrations: JSON.parse(row.integrations) as string[],
  };
}

function changeable({ name, url, isEnabled, types, integrations }: WebhookDestinationRow) {
  return [name, url, isEnabled ? 1 : 0, JSON.stringify(types), JSON.stringify(integrations)];
}
