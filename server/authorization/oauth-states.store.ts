import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface OAuthStateRow {
  id: string;
  environmentId: number;
  /** Sealed. */
  content: string;
  createdAt: number;
}

interface SqlRow {
  id: string;
  environment_id: number;
  content: string;
  created_at: number;
}

const COLUMNS = 'id, environment_id, content, created_at';

/** Authorizations that wait for the provider's callback. */
export class OAuthStatesStore {
  async find(db: ReadHandle, id: string): Promise<OAuthStateRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM oauth_states WHERE id = ?`, [id]);
    return row && { id: row.id, environmentId: row.environment_id, content: row.content, createdAt: row.created_at };
  }

  async listOf(db: ReadHandle, environmentId: number): Promise<OAuthStateRow[]> {
    const rows = await db.all<SqlRow>(`SELECT ${COLUMNS} FROM oauth_states WHERE environment_id = ?`, [environmentId]);
    return rows.map((row) => ({
      id: row.id,
      environmentId: row.environment_id,
      content: row.content,
      createdAt: row.created_at,
    }));
  }

  async insert(tx: Transaction, row: OAuthStateRow): Promise<void> {
    await tx.run(`INSERT INTO oauth_states (${COLUMNS}) VALUES (?, ?, ?, ?)`, [
      row.id,
      row.environmentId,
      row.content,
      row.createdAt,
    ]);
  }

  async update(tx: Transaction, { content, id }: Pick<OAuthStateRow, 'content' | 'id'>): Promise<void> {
    await tx.run('UPDATE oauth_states SET content = ? WHERE id = ?', [content, id]);
  }

  async remove(tx: Transaction, id: string): Promise<void> {
    await tx.run('DELETE FROM oauth_states WHERE id = ?', [id]);
  }

  async removeOlderThan(tx: Transaction, before: number): Promise<void> {
    await tx.run('DELETE FROM oauth_states WHERE created_at < ?', [before]);
  }
}
