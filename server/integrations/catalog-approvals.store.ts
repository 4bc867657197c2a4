import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface ApprovedEntryRow {
  provider: string;
  /** The resolved entry, JSON. */
  definition: string;
  source: string;
  replaces: boolean;
  writtenHash: string;
}

export class CatalogApprovalsStore {
  async list(db: ReadHandle): Promise<ApprovedEntryRow[]> {
    const rows = await db.all<Record<string, string | number>>(
      'SELECT provider, definition, source, replaces_builtin, written_hash FROM approved_entries ORDER BY provider',
    );
    return rows.map((row) => ({
      provider: String(row['provider']),
      definition: String(row['definition']),
      source: String(row['source']),
      replaces: row['replaces_builtin'] === 1,
      writtenHash: String(row['written_hash']),
    }));
  }

  async upsert(tx: Transaction, row: ApprovedEntryRow, now: number): Promise<void> {
    await tx.run(
      `INSERT INTO approved_entries (provider, definition, source, replaces_builtin, written_hash, approved_at)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (provider) DO UPDATE SET
         definition = excluded.definition, source = excluded.source, replaces_builtin = excluded.replaces_builtin,
         written_hash = excluded.written_hash, approved_at = excluded.approved_at`,
      [row.provider, row.definition, row.source, row.replaces ? 1 : 0, row.writtenHash, now],
    );
  }

  async remove(tx: Transaction, provider: string): Promise<void> {
    await tx.run('DELETE FROM approved_entries WHERE provider = ?', [provider]);
  }

  /** Whether a version of the program before migration 0023 approved the resolved entry with this hash. */
  async wasApproved(db: ReadHandle, hash: string): Promise<boolean> {
    return (await db.get('SELECT 1 FROM catalog_approvals WHERE hash = ?', [hash])) !== undefined;
  }
}
