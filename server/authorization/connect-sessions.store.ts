import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface ConnectSessionRow {
  lookupHash: string;
  environmentId: number;
  operationId: string;
  /** Sealed. */
  content: string;
  createdAt: number;
  expiresAt: number;
}

interface SqlRow {
  lookup_hash: string;
  environment_id: number;
  operation_id: string;
  content: string;
  created_at: number;
  expires_at: number;
}

const COLUMNS = 'lookup_hash, environment_id, operation_id, content, created_at, expires_at';

const toSession = (row: SqlRow): ConnectSessionRow => ({
  lookupHash: row.lookup_hash,
  environmentId: row.environment_id,
  operationId: row.operation_id,
  content: row.content,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** Sessions of tokens with which end users connect; the tokens themselves are not stored. */
export class ConnectSessionsStore {
  /** Finds a session that has not expired at `now`. */
  async findLive(db: ReadHandle, lookupHash: string, now: number): Promise<ConnectSessionRow | undefined> {
    const row = await db.get<SqlRow>(
      `SELECT ${COLUMNS} FROM connect_sessions WHERE lookup_hash = ? AND expires_at > ?`,
      [lookupHash, now],
    );
    return row && toSession(row);
  }

  /** Sessions that have not expired at `now`, the newest first. */
  async listLive(db: ReadHandle, now: number, limit: number): Promise<ConnectSessionRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM connect_sessions WHERE expires_at > ? ORDER BY created_at DESC LIMIT ?`,
      [now, limit],
    );
    return rows.map(toSession);
  }

  /** The next sessions of an environment after a hash, expired ones included. */
  async listOf(
    db: ReadHandle,
    { environmentId, after, limit }: { environmentId: number; after: string; limit: number },
  ): Promise<ConnectSessionRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM connect_sessions WHERE environment_id = ? AND lookup_hash > ? ORDER BY lookup_hash LIMIT ?`,
      [environmentId, after, limit],
    );
    return rows.map(toSession);
  }

  async insert(tx: Transaction, row: ConnectSessionRow): Promise<void> {
    await tx.run(`INSERT INTO connect_sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
      row.lookupHash,
      row.environmentId,
      row.operationId,
      row.content,
      row.createdAt,
      row.expiresAt,
    ]);
  }

  async remove(tx: Transaction, lookupHash: string): Promise<void> {
    await tx.run('DELETE FROM connect_sessions WHERE lookup_hash = ?', [lookupHash]);
  }

  async removeOlderThan(tx: Transaction, before: number): Promise<void> {
    await tx.run('DELETE FROM connect_sessions WHERE created_at < ?', [before]);
  }
}
