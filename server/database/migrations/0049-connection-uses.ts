import type { Migration } from './migration.ts';

/** Which keys of apps used a connection, and the time of the last use (ui.md 6.10). Earlier uses are not known. */
export const connectionUses: Migration = {
  id: '0049-connection-uses',
  breaking: false,
  statements: [
    `CREATE TABLE connection_uses (
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (connection_row_id, key_id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX connection_uses_key ON connection_uses (key_id)',
  ],
};
