import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface IntegrationChangeRow {
  id: number;
  integrationId: number;
  at: number;
  /** The change that this one reverts. */
  undoes: number | null;
  /** Sealed JSON of the fields with their values before and after. */
  sealed: string;
}

const COLUMNS = 'id, integration_id AS integrationId, at, undoes, sealed';
/** Limit for one integration: a script may change it every minute. */
const MAX_CHANGES = 200;

export class IntegrationChangesStore {
  /** Newest first. */
  list(db: ReadHandle, integrationId: number, since: number): Promise<IntegrationChangeRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM integration_changes WHERE integration_id = ? AND at >= ? ORDER BY id DESC`, [
      integrationId,
      since,
    ]);
  }

  find(db: ReadHandle, integrationId: number, id: number, since: number): Promise<IntegrationChangeRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM integration_changes WHERE integration_id = ? AND id = ? AND at >= ?`, [
      integrationId,
      id,
      since,
    ]);
  }

  /** Inserts a change and removes the oldest ones beyond the limit. */
  async insert(tx: Transaction, row: Omit<IntegrationChangeRow, 'id'>): Promise<void> {
    await tx.run('INSERT INTO integration_changes (integration_id, at, undoes, sealed) VALUES (?, ?, ?, ?)', [
      row.integrationId,
      row.at,
      row.undoes,
      row.sealed,
    ]);
    await tx.run(
      `DELETE FROM integration_changes WHERE integration_id = ?1 AND id <= (
         SELECT id FROM integration_changes WHERE integration_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${MAX_CHANGES})`,
      [row.integrationId],
    );
  }

  async removeOfIntegration(tx: Transaction, integrationId: number): Promise<void> {
    await tx.run('DELETE FROM integration_changes WHERE integration_id = ?', [integrationId]);
  }

  /** Removes up to `limit` changes that are older than `before`; resolves to the number removed. */
  async removeOld(tx: Transaction, before: number, limit: number): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM integration_changes WHERE id IN (SELECT id FROM integration_changes WHERE at < ? ORDER BY at LIMIT ?)',
      [before, limit],
    );
    return changes;
  }
}

/** How long a change can be undone; older changes are removed with their values. */
export const CHANGES_KEPT_MS = 30 * 86_400_000;
