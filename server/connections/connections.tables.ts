/** Long texts are found by their beginning. */
const indexedValue = (item: string): string =>
  `iif(${item}.type = 'text', substr(${item}.value, 1, 200), ${item}.value)`;

const IS_SCALAR = "type IN ('text', 'integer', 'real', 'true', 'false')";

const INSERT_VALUES = `INSERT INTO connection_values (integration_id, source, key, value, connection_row_id)
   SELECT new.integration_id, 'config', field.key, ${indexedValue('field')}, new.id
   FROM json_each(new.connection_config) AS field
   WHERE field.${IS_SCALAR} AND new.deleted_at IS NULL
   UNION
   SELECT new.integration_id, 'metadata', field.key, ${indexedValue('field')}, new.id
   FROM json_each(new.metadata) AS field
   WHERE field.${IS_SCALAR} AND new.deleted_at IS NULL
   UNION
   SELECT new.integration_id, 'metadata', field.key, ${indexedValue('item')}, new.id
   FROM json_each(new.metadata) AS field, json_each(iif(field.type = 'array', field.value, '[]')) AS item
   WHERE item.${IS_SCALAR} AND new.deleted_at IS NULL`;

/** The connections, what is known about them, and the ways to a new one. */
export const connectionTables: readonly string[] = [
  // `last_fetched_at` includes background refreshes, `last_used_at` does not. `credentials_end_at`: the time at
  // which credentials end that nothing can renew (design.md 7.53), -1 where only the sealed credentials tell it.
  `CREATE TABLE connections (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      connection_id TEXT NOT NULL,
      credentials TEXT NOT NULL,
      credentials_type TEXT,
      credentials_expire_at INTEGER,
      connection_config TEXT NOT NULL,
      sealed_config TEXT,
      metadata TEXT,
      tags TEXT NOT NULL,
      end_user TEXT,
      webhook_url_override TEXT,
      last_fetched_at INTEGER,
      last_refresh_success_at INTEGER,
      last_refresh_failure_at INTEGER,
      refresh_attempts INTEGER NOT NULL,
      is_refresh_exhausted INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      last_used_at INTEGER,
      log_level TEXT,
      credentials_end_at INTEGER
    ) STRICT`,
  `CREATE UNIQUE INDEX connections_live_id
      ON connections (integration_id, connection_id)
      WHERE deleted_at IS NULL`,
  `CREATE INDEX connections_list
      ON connections (environment_id, created_at DESC, id DESC)
      WHERE deleted_at IS NULL`,
  'CREATE INDEX connections_deleted ON connections (environment_id, deleted_at) WHERE deleted_at IS NOT NULL',
  `CREATE TABLE connection_errors (
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      source TEXT NOT NULL,
      log_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (connection_row_id, type, source)
    ) STRICT, WITHOUT ROWID`,
  // Which keys of apps used a connection, and the time of the last use (ui.md 6.10).
  `CREATE TABLE connection_uses (
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (connection_row_id, key_id)
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX connection_uses_key ON connection_uses (key_id)',
  // Values in configuration and metadata of live connections, so that a webhook finds its connections without
  // reading the others. Triggers update them in the transaction that writes a connection.
  `CREATE TABLE connection_values (
      integration_id INTEGER NOT NULL,
      source TEXT NOT NULL,
      key TEXT NOT NULL,
      value ANY NOT NULL,
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      PRIMARY KEY (integration_id, source, key, value, connection_row_id)
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX connection_values_row ON connection_values (connection_row_id)',
  `CREATE TRIGGER connection_values_insert AFTER INSERT ON connections BEGIN
      ${INSERT_VALUES};
    END`,
  `CREATE TRIGGER connection_values_update AFTER UPDATE OF connection_config, metadata, deleted_at ON connections
    WHEN new.connection_config IS NOT old.connection_config OR new.metadata IS NOT old.metadata
      OR new.deleted_at IS NOT old.deleted_at
    BEGIN
      DELETE FROM connection_values WHERE connection_row_id = new.id;
      ${INSERT_VALUES};
    END`,
  // Connect sessions, found by the keyed hash of their token; their permissions are sealed.
  `CREATE TABLE connect_sessions (
      lookup_hash TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      operation_id TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX connect_sessions_by_age ON connect_sessions (created_at)',
  // Authorizations in progress at a provider, found by the state that the provider returns; all their data is
  // sealed.
  `CREATE TABLE oauth_states (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX oauth_states_by_age ON oauth_states (created_at)',
];

/** A failed renewal forgets `last_refresh_success_at`, but not how old the credentials are. */
export const credentialsObtainedColumns: readonly string[] = [
  'ALTER TABLE connections ADD COLUMN credentials_obtained_at INTEGER',
  'UPDATE connections SET credentials_obtained_at = COALESCE(last_refresh_success_at, created_at)',
];
