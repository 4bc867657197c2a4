import type { Transaction } from '../database/database.ts';

export interface LockRequest {
  environmentId: number;
  key: string;
  owner: string;
  now: number;
  ttlMs: number;
}

export class LocksStore {
  /** True if the lock is free, has expired, or already belongs to the owner (then it is renewed). */
  async acquire(tx: Transaction, lock: LockRequest): Promise<boolean> {
    const { changes } = await tx.run(
      `INSERT INTO locks (environment_id, key, owner, expires_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (environment_id, key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
         WHERE locks.owner = excluded.owner OR locks.expires_at <= ?5`,
      [lock.environmentId, lock.key, lock.owner, lock.now + lock.ttlMs, lock.now],
    );
    return changes > 0;
  }

  async release(tx: Transaction, environmentId: number, key: string, owner: string): Promise<boolean> {
    const { changes } = await tx.run('DELETE FROM locks WHERE environment_id = ? AND key = ? AND owner = ?', [
      environmentId,
      key,
      owner,
    ]);
    return changes > 0;
  }

  async releaseAll(tx: Transaction, owner: string): Promise<void> {
    await tx.run('DELETE FROM locks WHERE owner = ?', [owner]);
  }

  /** At start: the holders of all locks ended with the last process. */
  async removeAll(tx: Transaction): Promise<void> {
    await tx.run('DELETE FROM locks');
  }
}
