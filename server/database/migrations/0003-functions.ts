import type { Migration } from './migration.ts';

export const functions: Migration = {
  id: '0003-functions',
  breaking: false,
  statements: [
    `CREATE TABLE functions (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      integration_key TEXT NOT NULL,
      type TEXT NOT NULL,
      name TEXT NOT NULL,
      path TEXT NOT NULL,
      version TEXT,
      definition TEXT,
      source TEXT,
      bundle TEXT,
      bundle_hash TEXT,
      inputs TEXT NOT NULL,
      problems TEXT,
      is_enabled INTEGER NOT NULL,
      deployed_at INTEGER,
      created_at INTEGER NOT NULL,
      UNIQUE (environment_id, integration_key, type, name)
    ) STRICT`,
  ],
};
