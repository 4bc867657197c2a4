import type { Readable, Writable } from '../database/database.ts';

/** Signed-in browsers of the dashboard, found by the keyed hash of their cookie. */
export class UiSessionsStore {
  async isLive(db: Readable, lookupHash: string, now: number): Promise<boolean> {
    const row = await db.get('SELECT 1 FROM ui_sessions WHERE lookup_hash = ? AND expires_at > ?', [lookupHash, now]);
    return row !== undefined;
  }

  async insert(tx: Writable, lookupHash: string, now: number, expiresAt: number): Promise<void> {
    await tx.run('DELETE FROM ui_sessions WHERE expires_at <= ?', [now]);
    await tx.run('INSERT INTO ui_sessions (lookup_hash, created_at, expires_at) VALUES (?, ?, ?)', [
      lookupHash,
      now,
      expiresAt,
    ]);
  }

  async remove(tx: Writable, lookupHash: string): Promise<void> {
    await tx.run('DELETE FROM ui_sessions WHERE lookup_hash = ?', [lookupHash]);
  }
}
