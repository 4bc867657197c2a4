import type { EndUserCopy } from '../connections/connections.store.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** A deleted connection whose person is still named elsewhere. */
export interface ErasureRow {
  id: string;
  environmentId: number;
  integrationKey: string;
  connectionRowId: number;
  connectionId: string;
  endUser: EndUserCopy | null;
  tags: Record<string, string>;
  deletedAt: number;
  /** The person is removed everywhere, and from this row; only the files have to be rewritten. */
  isCleared: boolean;
}

type SqlRow = Omit<ErasureRow, 'endUser' | 'tags' | 'isCleared'> & {
  endUser: string | null;
  tags: string;
  isCleared: number;
};

const IS_CLEARED = "(end_user IS NULL AND tags = '{}')";

const COLUMNS = `id, environment_id AS environmentId, integration_key AS integrationKey,
  connection_row_id AS connectionRowId, connection_id AS connectionId, end_user AS endUser, tags, deleted_at AS deletedAt,
  ${IS_CLEARED} AS isCleared`;

const toErasure = (row: SqlRow): ErasureRow => ({
  ...row,
  endUser: row.endUser === null ? null : (JSON.parse(row.endUser) as EndUserCopy),
  tags: JSON.parse(row.tags) as Record<string, string>,
  isCleared: row.isCleared === 1,
});

export class ErasuresStore {
  /** One for each of these connections that has an end user. Call it before the connections are removed. */
  async insertFor(
    tx: Transaction,
    connections: Array<{ id: number; erasureId: string }>,
    now: number,
  ): Promise<string[]> {
    const rows = await tx.all<{ id: string }>(
      `INSERT INTO erasures (id, environment_id, integration_key, connection_row_id, connection_id, end_user, tags, deleted_at)
       SELECT one.value ->> 'erasureId', c.environment_id, i.unique_key, c.id, c.connection_id, c.end_user, c.tags, ?
       FROM json_each(?) AS one JOIN connections AS c ON c.id = one.value ->> 'id'
       JOIN integrations AS i ON i.id = c.integration_id
       WHERE c.deleted_at IS NULL AND (c.end_user IS NOT NULL OR c.tags ->> 'end_user_id' IS NOT NULL
         OR c.tags ->> 'end_user_email' IS NOT NULL OR c.tags ->> 'end_user_display_name' IS NOT NULL)
       RETURNING id`,
      [now, JSON.stringify(connections)],
    );
    return rows.map(({ id }) => id);
  }

  async find(db: ReadHandle, id: string): Promise<ErasureRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM erasures WHERE id = ?`, [id]);
    return row && toErasure(row);
  }

  /** The oldest of an environment that still name a person. */
  async list(db: ReadHandle, environmentId: number, limit: number): Promise<ErasureRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM erasures WHERE environment_id = ? AND NOT ${IS_CLEARED} ORDER BY deleted_at, id LIMIT ?`,
      [environmentId, limit],
    );
    return rows.map(toErasure);
  }

  /** Those for which no job is queued. */
  async listWithoutJob(db: ReadHandle): Promise<string[]> {
    const rows = await db.all<{ id: string }>(
      "SELECT id FROM erasures WHERE id NOT IN (SELECT payload ->> 'erasureId' FROM jobs WHERE kind = 'erase-person')",
    );
    return rows.map(({ id }) => id);
  }

  async clear(tx: Transaction, ids: readonly string[]): Promise<void> {
    await tx.run(
      "UPDATE erasures SET connection_id = '', end_user = NULL, tags = '{}' WHERE id IN (SELECT value FROM json_each(?))",
      [JSON.stringify(ids)],
    );
  }

  async listCleared(db: ReadHandle): Promise<string[]> {
    const rows = await db.all<{ id: string }>(`SELECT id FROM erasures WHERE ${IS_CLEARED}`);
    return rows.map(({ id }) => id);
  }

  async remove(tx: Transaction, ids: readonly string[]): Promise<void> {
    await tx.run('DELETE FROM erasures WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)]);
  }

  /** Whether a connection that exists belongs to the person. */
  async isAlive(
    db: ReadHandle,
    { environmentId, id, email }: { environmentId: number; id: string | null; email: string | null },
  ): Promise<boolean> {
    const row = await db.get(
      `SELECT 1 FROM connections WHERE environment_id = ?1 AND deleted_at IS NULL
       AND (?2 IN (end_user ->> 'id', tags ->> 'end_user_id')
         OR lower(?3) IN (lower(end_user ->> 'email'), lower(tags ->> 'end_user_email'))) LIMIT 1`,
      [environmentId, id, email],
    );
    return row !== undefined;
  }

  /** When the connection that has the id of the deleted one now was created; undefined when there is none. */
  async findSuccessor(db: ReadHandle, erasure: ErasureRow): Promise<number | undefined> {
    const row = await db.get<{ createdAt: number }>(
      `SELECT c.created_at AS createdAt FROM connections AS c JOIN integrations AS i ON i.id = c.integration_id
       WHERE c.environment_id = ? AND i.unique_key = ? AND c.connection_id = ? AND c.deleted_at IS NULL`,
      [erasure.environmentId, erasure.integrationKey, erasure.connectionId],
    );
    return row?.createdAt;
  }

  /** Whether a job about the connection is queued or runs; its payload may name the person. */
  async hasJob(db: ReadHandle, connectionRowId: number): Promise<boolean> {
    const row = await db.get("SELECT 1 FROM jobs WHERE payload ->> 'connectionRowId' = ? LIMIT 1", [connectionRowId]);
    return row !== undefined;
  }
}
