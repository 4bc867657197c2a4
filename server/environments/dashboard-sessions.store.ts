import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** A browser with a dashboard login. Times are in milliseconds since the epoch. */
export interface DashboardSessionRow {
  /** Keyed hash of the cookie. */
  lookupHash: string;
  /** Keyed hash of the token that the page sends beside the cookie. */
  csrfHash: string;
  /** For example "Firefox on Linux". */
  browser: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

interface StoredRow {
  lookup_hash: string;
  csrf_hash: string;
  browser: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

const COLUMNS = 'lookup_hash, csrf_hash, browser, created_at, last_used_at, expires_at';

/** Dashboard logins of browsers, found by the keyed hash of their cookie. */
export class DashboardSessionsStore {
  async find(db: ReadHandle, lookupHash: string, now: number): Promise<DashboardSessionRow | undefined> {
    const row = await db.get<StoredRow>(
      `SELECT ${COLUMNS} FROM dashboard_sessions WHERE lookup_hash = ? AND expires_at > ?`,
      [lookupHash, now],
    );
    return row && toSession(row);
  }

  /** Last used first. */
  async list(db: ReadHandle, now: number): Promise<DashboardSessionRow[]> {
    const rows = await db.all<StoredRow>(
      `SELECT ${COLUMNS} FROM dashboard_sessions WHERE expires_at > ? ORDER BY last_used_at DESC, lookup_hash`,
      [now],
    );
    return rows.map(toSession);
  }

  async insert(tx: Transaction, session: DashboardSessionRow): Promise<void> {
    await tx.run('DELETE FROM dashboard_sessions WHERE expires_at <= ?', [session.createdAt]);
    await tx.run(`INSERT INTO dashboard_sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
      session.lookupHash,
      session.csrfHash,
      session.browser,
      session.createdAt,
      session.lastUsedAt,
      session.expiresAt,
    ]);
  }

  async touch(tx: Transaction, lookupHash: string, now: number): Promise<void> {
    await tx.run('UPDATE dashboard_sessions SET last_used_at = ? WHERE lookup_hash = ?', [now, lookupHash]);
  }

  async remove(tx: Transaction, lookupHashes: readonly string[]): Promise<void> {
    await tx.run('DELETE FROM dashboard_sessions WHERE lookup_hash IN (SELECT value FROM json_each(?))', [
      JSON.stringify(lookupHashes),
    ]);
  }
}

function toSession(row: StoredRow): DashboardSessionRow {
  return {
    lookupHash: row.lookup_hash,
    csrfHash: row.csrf_hash,
    browser: row.browser,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
