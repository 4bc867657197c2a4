/** The vault, the environments with their variables, keys, sessions of the dashboard and the audit, and what waits to be removed. */
export const environmentTables: readonly string[] = [
  // The wrapped data key of the whole data folder. `auto_lock_minutes`: without activity, NULL for never (ui.md
  // 6.16).
  `CREATE TABLE vault (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wrapped_key TEXT NOT NULL,
      key_source TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      auto_lock_minutes INTEGER
    ) STRICT`,
  // The signing key before the last rotation stays valid for five minutes (design.md 7.61). `otlp_headers` are
  // sealed.
  `CREATE TABLE environments (
      id INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      settings TEXT NOT NULL,
      webhook_signing_key TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      otlp_headers TEXT NOT NULL DEFAULT '',
      previous_signing_key TEXT NOT NULL DEFAULT '',
      signing_key_rotated_at INTEGER
    ) STRICT`,
  // All values are sealed; the settings page shows plain ones without a reveal.
  `CREATE TABLE environment_variables (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      position INTEGER NOT NULL,
      value TEXT NOT NULL,
      is_plain INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (environment_id, name)
    ) STRICT, WITHOUT ROWID`,
  // Environments that were deleted: their ids are never used again, nor are those of their connections and
  // integrations. While `environments` still has the row, its content is being removed.
  `CREATE TABLE deleted_environments (
      id INTEGER PRIMARY KEY,
      last_connection_id INTEGER NOT NULL,
      last_integration_id INTEGER NOT NULL,
      deleted_at INTEGER NOT NULL
    ) STRICT`,
  `CREATE TRIGGER deleted_environments_reused AFTER INSERT ON environments BEGIN
      DELETE FROM deleted_environments WHERE id = new.id;
    END`,
  // `allowed`: the connections that a key is limited to; icon and colour of its app in lists (ui.md 6.14).
  `CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      display_name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      lookup_hash TEXT NOT NULL UNIQUE,
      secret TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      first_used_at INTEGER,
      first_credentials_at INTEGER,
      allowed TEXT,
      icon TEXT,
      colour TEXT,
      UNIQUE (environment_id, display_name)
    ) STRICT`,
  // How keys are used, by the hour.
  `CREATE TABLE key_use_hours (
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      credential_reads INTEGER NOT NULL,
      PRIMARY KEY (key_id, hour)
    ) STRICT, WITHOUT ROWID`,
  // The programs that call with a key.
  `CREATE TABLE key_processes (
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      path TEXT NOT NULL,
      name TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (key_id, path)
    ) STRICT, WITHOUT ROWID`,
  // Who did what. Entries with the same bucket are counted in one row.
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
  // Sessions of the dashboard, found by the keyed hash of their secret.
  `CREATE TABLE dashboard_sessions (
      lookup_hash TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      csrf_hash TEXT NOT NULL DEFAULT '',
      browser TEXT NOT NULL DEFAULT '',
      last_used_at INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID`,
  // Deletions of the dashboard that wait for ten seconds, so that a person can undo them (ui.md 5.11).
  `CREATE TABLE held_deletions (
      id INTEGER PRIMARY KEY,
      deletion_id TEXT NOT NULL,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      object_id TEXT NOT NULL,
      names TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      is_begun INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
  'CREATE UNIQUE INDEX held_deletions_by_object ON held_deletions (kind, object_id)',
  'CREATE INDEX held_deletions_by_deletion ON held_deletions (deletion_id)',
  // People whose connection was deleted, until nothing else names them (design.md 7.56). What identifies them is a
  // copy of the connection's own columns.
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
];

/** Since migration 0062. Sealed; empty without one. */
export const approvalsTokenColumns: readonly string[] = [
  "ALTER TABLE environments ADD COLUMN approvals_token TEXT NOT NULL DEFAULT ''",
];
