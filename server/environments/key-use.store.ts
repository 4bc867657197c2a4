import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** What a key did since its use was last stored. */
export interface KeyUseCount {
  keyId: number;
  calls: number;
  credentialReads: number;
}

/** A connection that an app used: it read its credentials, or called the provider through the proxy. */
export interface ConnectionUse {
  keyId: number;
  environmentId: number;
  integrationKey: string;
  connectionId: string;
}

/** An app that used a connection. */
export interface ConnectionUser {
  keyId: number;
  name: string;
  lastAt: number;
}

interface KeyProcessRow {
  keyId: number;
  name: string;
  path: string;
  lastSeenAt: number;
}

/** Use of keys by the hour, and the programs that call with them. Times are in milliseconds since the epoch. */
export class KeyUseStore {
  /** Adds counts to an hour; counts of removed keys are left out. */
  async add(tx: Transaction, hour: number, counts: readonly KeyUseCount[]): Promise<void> {
    await tx.run(
      `INSERT INTO key_use_hours (key_id, hour, calls, credential_reads)
       SELECT k.id, ?, c.value ->> 'calls', c.value ->> 'credentialReads'
       FROM json_each(?) AS c JOIN api_keys AS k ON k.id = c.value ->> 'keyId' WHERE true
       ON CONFLICT (key_id, hour) DO UPDATE SET calls = calls + excluded.calls,
         credential_reads = credential_reads + excluded.credential_reads`,
      [hour, JSON.stringify(counts)],
    );
  }

  /** The keys that did this for the first time. */
  async markFirst(
    tx: Transaction,
    what: 'use' | 'credentials',
    keyIds: readonly number[],
    now: number,
  ): Promise<Array<{ id: number; environmentId: number; displayName: string }>> {
    const column = what === 'use' ? 'first_used_at' : 'first_credentials_at';
    return tx.all(
      `UPDATE api_keys SET ${column} = ? WHERE id IN (SELECT value FROM json_each(?)) AND ${column} IS NULL
       RETURNING id, environment_id AS environmentId, display_name AS displayName`,
      [now, JSON.stringify(keyIds)],
    );
  }

  /** Use of each key of an environment since an hour, including that hour. */
  listSince(db: ReadHandle, environmentId: number, hour: number): Promise<KeyUseCount[]> {
    return db.all(
      `SELECT u.key_id AS keyId, sum(u.calls) AS calls, sum(u.credential_reads) AS credentialReads
       FROM api_keys AS k JOIN key_use_hours AS u ON u.key_id = k.id
       WHERE k.environment_id = ? AND u.hour >= ? GROUP BY u.key_id`,
      [environmentId, hour],
    );
  }

  /** Uses of connections and keys that are gone are left out. */
  async addUses(tx: Transaction, uses: readonly ConnectionUse[], now: number): Promise<void> {
    await tx.run(
      `INSERT INTO connection_uses (connection_row_id, key_id, last_at)
       SELECT c.id, k.id, ? FROM json_each(?) AS u
       JOIN api_keys AS k ON k.id = u.value ->> 'keyId'
       JOIN integrations AS i ON i.environment_id = u.value ->> 'environmentId'
         AND i.unique_key = u.value ->> 'integrationKey' AND i.deleted_at IS NULL
       JOIN connections AS c ON c.integration_id = i.id AND c.connection_id = u.value ->> 'connectionId'
         AND c.deleted_at IS NULL
       WHERE true
       ON CONFLICT (connection_row_id, key_id) DO UPDATE SET last_at = excluded.last_at`,
      [now, JSON.stringify(uses)],
    );
  }

  /** The apps that used a connection since `since`, the latest first. */
  listUsers(db: ReadHandle, connectionRowId: number, since: number): Promise<ConnectionUser[]> {
    return db.all(
      `SELECT k.id AS keyId, k.display_name AS name, u.last_at AS lastAt
       FROM connection_uses AS u JOIN api_keys AS k ON k.id = u.key_id
       WHERE u.connection_row_id = ? AND u.last_at >= ? ORDER BY u.last_at DESC, k.id`,
      [connectionRowId, since],
    );
  }

  /** The program that last called with each key of an environment. */
  listProcesses(db: ReadHandle, environmentId: number): Promise<KeyProcessRow[]> {
    return db.all(
      `SELECT p.key_id AS keyId, p.name, p.path, max(p.last_seen_at) AS lastSeenAt
       FROM api_keys AS k JOIN key_processes AS p ON p.key_id = k.id WHERE k.environment_id = ? GROUP BY p.key_id`,
      [environmentId],
    );
  }

  /** Stores a call by a program; resolves to the programs known before, or undefined when the key is gone. */
  async seeProcess(tx: Transaction, { keyId, name, path }: Omit<KeyProcessRow, 'lastSeenAt'>, now: number) {
    const known = await tx.get<{ known: number; isSeen: number; displayName: string; environmentId: number }>(
      `SELECT k.display_name AS displayName, k.environment_id AS environmentId,
         (SELECT count(*) FROM key_processes WHERE key_id = k.id) AS known,
         EXISTS (SELECT 1 FROM key_processes WHERE key_id = k.id AND path = ?2) AS isSeen
       FROM api_keys AS k WHERE k.id = ?1`,
      [keyId, path],
    );
    if (!known) return undefined;
    await tx.run(
      `INSERT INTO key_processes (key_id, path, name, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key_id, path) DO UPDATE SET last_seen_at = excluded.last_seen_at, name = excluded.name`,
      [keyId, path, name, now, now],
    );
    return { ...known, isSeen: known.isSeen === 1 };
  }

  /**
   * Removes counts older than `hour`, and all but the latest `most` programs of each key; resolves to the number of
   * rows removed.
   */
  async removeOld(tx: Transaction, hour: number, most: number): Promise<number> {
    const hours = await tx.run('DELETE FROM key_use_hours WHERE hour < ?', [hour]);
    const processes = await tx.run(
      `DELETE FROM key_processes WHERE (key_id, path) IN (SELECT key_id, path FROM
         (SELECT key_id, path, row_number() OVER (PARTITION BY key_id ORDER BY last_seen_at DESC) AS place
          FROM key_processes) WHERE place > ?)`,
      [most],
    );
    return hours.changes + processes.changes;
  }
}
