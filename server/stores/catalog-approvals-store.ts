import type { Readable, Writable } from '../database/database.ts';

export class CatalogApprovalsStore {
  async isApproved(db: Readable, hash: string): Promise<boolean> {
    return (await db.get('SELECT 1 FROM catalog_approvals WHERE hash = ?', [hash])) !== undefined;
  }

  async upsert(tx: Writable, provider: string, hash: string, now: number): Promise<void> {
    await tx.run(
      'INSERT INTO catalog_approvals (hash, provider, approved_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING',
      [hash, provider, now],
    );
  }
}
