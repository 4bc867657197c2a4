import type { Migration } from './migration.ts';

export const environments: Migration = {
  id: '0001-environments',
  breaking: false,
  statements: [
    `CREATE TABLE vault (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wrapped_key TEXT NOT NULL,
      key_source TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE environments (
      id INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      settings TEXT NOT NULL,
      webhook_signing_key TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE environment_variables (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      position INTEGER NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (environment_id, name)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      display_name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      lookup_hash TEXT NOT NULL UNIQUE,
      secret TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      UNIQUE (environment_id, display_name)
    ) STRICT`,
    `CREATE TABLE ui_sessions (
      lookup_hash TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};
