import type { Readable, Writable } from '../database/database.ts';

/** The wrapped data key: one row for the whole data folder. */
export class VaultStore {
  async findWrappedKey(db: Readable): Promise<string | undefined> {
    const row = await db.get<{ wrapped_key: string }>('SELECT wrapped_key FROM vault WHERE id = 1');
    return row?.wrapped_key;
  }

  async upsertWrappedKey(tx: Writable, wrappedKey: string, source: string, now: number): Promise<void> {
    await tx.run(
      `INSERT INTO vault (id, wrapped_key, key_source, created_at) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET wrapped_key = excluded.wrapped_key, key_source = excluded.key_source`,
      [wrappedKey, source, now],
    );
  }
}
