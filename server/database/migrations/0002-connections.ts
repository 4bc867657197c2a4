import type { Migration } from './migration.ts';

export const connections: Migration = {
  id: '0002-connections',
  breaking: false,
  statements: [
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
    'CREATE UNIQUE INDEX integrations_live_key ON integrations (environment_id, unique_key) WHERE deleted_at IS NULL',
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
      deleted_at INTEGER
    ) STRICT`,
    'CREATE UNIQUE INDEX connections_live_id ON connections (integration_id, connection_id) WHERE deleted_at IS NULL',
    'CREATE INDEX connections_list ON connections (environment_id, created_at DESC, id DESC) WHERE deleted_at IS NULL',
    `CREATE TABLE connection_errors (
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      source TEXT NOT NULL,
      log_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (connection_row_id, type, source)
    ) STRICT, WITHOUT ROWID`,
  ],
};
