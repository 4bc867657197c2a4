import type { Migration } from './migration.ts';

/**
 * How keys are used, by the hour and by the program that calls, and who did what. Entries with the same bucket
 * are counted in one row. Actions of an older program are not recorded.
 */
export const keyUseAndAudit: Migration = {
  id: '0030-key-use-and-audit',
  breaking: false,
  statements: [
    'ALTER TABLE api_keys ADD COLUMN first_used_at INTEGER',
    'ALTER TABLE api_keys ADD COLUMN first_credentials_at INTEGER',
    'UPDATE api_keys SET first_used_at = last_used_at, first_credentials_at = last_used_at',
    `CREATE TABLE key_use_hours (
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      credential_reads INTEGER NOT NULL,
      PRIMARY KEY (key_id, hour)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE key_processes (
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      path TEXT NOT NULL,
      name TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (key_id, path)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_entries (
      seq INTEGER PRIMARY KEY,
      environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      action TEXT NOT NULL,
      result TEXT NOT NULL,
      key_id INTEGER,
      app TEXT,
      integration_key TEXT,
      connection_id TEXT,
      subject TEXT,
      count INTEGER NOT NULL,
      bucket TEXT UNIQUE
    ) STRICT`,
    'CREATE INDEX audit_entries_list ON audit_entries (environment_id, at)',
    'CREATE INDEX audit_entries_old ON audit_entries (at)',
  ],
};
