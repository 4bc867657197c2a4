import type { ReadHandle, Transaction } from '../database/database.ts';

/** As the vault uses it; `source` is `environment`, `keychain` or `file`. */
interface StoredKey<Source extends string> {
  wrappedKey: string;
  source: Source;
  account?: string;
}

/**
 * The wrapped data key: one row for the whole data folder. `key_source` is `keychain:<account>` for a key with its own
 * keychain entry.
 */
export class VaultStore {
  /** Also works for a file without tables. */
  async findWrappedKey<Source extends string>(db: ReadHandle): Promise<StoredKey<Source> | undefined> {
    if (!(await db.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vault'"))) return undefined;
    const row = await db.get<{ wrapped_key: string; key_source: string }>(
      'SELECT wrapped_key, key_source FROM vault WHERE id = 1',
    );
    if (!row) return undefined;
    const [, source = row.key_source, account] = /^(\w+):(.+)$/.exec(row.key_source) ?? [];
    return {
      wrappedKey: row.wrapped_key,
      source: source as Source,
      ...(account === undefined ? {} : { account }),
    };
  }

  /** Minutes; null means never. */
  async findAutoLockMinutes(db: ReadHandle): Promise<number | null> {
    const row = await db.get<{ minutes: number | null }>('SELECT auto_lock_minutes AS minutes FROM vault WHERE id = 1');
    return row?.minutes ?? null;
  }

  async updateAutoLockMinutes(tx: Transaction, minutes: number | null): Promise<void> {
    await tx.run('UPDATE vault SET auto_lock_minutes = ? WHERE id = 1', [minutes]);
  }

  async upsertWrappedKey(
    tx: Transaction,
    { wrappedKey, source, account }: StoredKey<string>,
    now: number,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO vault (id, wrapped_key, key_source, created_at) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET wrapped_key = excluded.wrapped_key, key_source = excluded.key_source`,
      [wrappedKey, account === undefined ? source : `${source}:${account}`, now],
    );
  }
}
