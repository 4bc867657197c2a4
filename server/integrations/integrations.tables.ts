/** Entries of the catalogue that a person approved, and the integrations. */
export const integrationTables: readonly string[] = [
  // Sensitive overrides of the workspace catalogue that a person approved, or that applied because they were unused.
  `CREATE TABLE catalog_approvals (
      hash TEXT PRIMARY KEY,
      provider TEXT NOT NULL,
      approved_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  // Entries of the workspace's catalogue as they were when their connections were created, or when a person last
  // approved them.
  `CREATE TABLE approved_entries (
      provider TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      source TEXT NOT NULL,
      replaces_builtin INTEGER NOT NULL,
      written_hash TEXT NOT NULL,
      approved_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE integrations (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      unique_key TEXT NOT NULL,
      provider TEXT NOT NULL,
      display_name TEXT,
      credentials TEXT,
      custom TEXT,
      forward_webhooks INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT`,
  `CREATE UNIQUE INDEX integrations_live_key
      ON integrations (environment_id, unique_key)
      WHERE deleted_at IS NULL`,
  // Changes, sealed with the values before and after, so that a change can be undone (ui.md 6.6).
  `CREATE TABLE integration_changes (
      id INTEGER PRIMARY KEY,
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      undoes INTEGER,
      sealed TEXT NOT NULL
    ) STRICT`,
  'CREATE INDEX integration_changes_integration ON integration_changes (integration_id, id)',
  'CREATE INDEX integration_changes_at ON integration_changes (at)',
];
