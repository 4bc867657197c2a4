import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface SavedQueryRow {
  id: string;
  name: string;
  sql: string;
  /** JSON text. */
  params: string;
  createdAt: number;
  updatedAt: number;
}

const COLUMNS = 'id, name, sql, params, created_at AS createdAt, updated_at AS updatedAt';

export class SavedQueriesStore {
  async list(db: ReadHandle, environmentId: number): Promise<SavedQueryRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM saved_queries WHERE environment_id = ? ORDER BY name`, [environmentId]);
  }

  async find(db: ReadHandle, environmentId: number, id: string): Promise<SavedQueryRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM saved_queries WHERE environment_id = ? AND id = ?`, [environmentId, id]);
  }

  /** Upper and lower case are the same. */
  async findByName(db: ReadHandle, environmentId: number, name: string): Promise<SavedQueryRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM saved_queries WHERE environment_id = ? AND name = ?`, [environmentId, name]);
  }

  async insert(tx: Transaction, environmentId: number, row: SavedQueryRow): Promise<void> {
    await tx.run(
      `INSERT INTO saved_queries (id, environment_id, name, sql, params, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [row.id, environmentId, row.name, row.sql, row.params, row.createdAt, row.updatedAt],
    );
  }

  async update(tx: Transaction, row: Omit<SavedQueryRow, 'createdAt'>): Promise<void> {
    await tx.run('UPDATE saved_queries SET name = ?, sql = ?, params = ?, updated_at = ? WHERE id = ?', [
      row.name,
      row.sql,
      row.params,
      row.updatedAt,
      row.id,
    ]);
  }

  async remove(tx: Transaction, environmentId: number, id: string): Promise<void> {
    await tx.run('DELETE FROM saved_queries WHERE environment_id = ? AND id = ?', [environmentId, id]);
  }
}
