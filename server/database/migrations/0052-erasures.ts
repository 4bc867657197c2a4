import type { Migration } from './migration.ts';

/**
 * People whose connection was deleted, until nothing else names them (design.md 7.56). What identifies them is a copy of
 * the connection's own columns.
 */
export const erasures: Migration = {
  id: '0052-erasures',
  breaking: false,
  statements: [
    `CREATE TABLE erasures (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      integration_key TEXT NOT NULL,
      connection_row_id INTEGER NOT NULL,
      connection_id TEXT NOT NULL,
      end_user TEXT,
      tags TEXT NOT NULL,
      deleted_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX erasures_environment ON erasures (environment_id, deleted_at)',
  ],
};
