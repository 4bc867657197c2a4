import type { Migration } from './migration.ts';

/**
 * The id of a message contains its operation: `seq << 20 | position`. So the messages of one operation are stored
 * together, and a match of the full-text index identifies its operation without a look-up.
 * Full-text tables keep no copy of the text (`content=''`); the stores fill them beside each bulk insert.
 */
export const logs: Migration = {
  id: '0006-logs',
  breaking: false,
  statements: [
    `CREATE TABLE log_operations (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL,
      type TEXT NOT NULL,
      action TEXT NOT NULL,
      state TEXT NOT NULL,
      message TEXT,
      integration_key TEXT,
      provider_name TEXT,
      connection_id TEXT,
      end_user_id TEXT,
      end_user_name TEXT,
      function_name TEXT,
      job_id TEXT,
      triggered_by TEXT,
      actor TEXT,
      http_calls INTEGER NOT NULL,
      records_changed INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      started_at INTEGER,
      ended_at INTEGER,
      expires_at INTEGER,
      duration_ms INTEGER,
      error TEXT,
      details TEXT
    ) STRICT`,
    `CREATE INDEX log_operations_list ON log_operations (
      environment_id, created_at, state, type, action, integration_key, connection_id, function_name, duration_ms
    )`,
    `CREATE INDEX log_operations_unfinished ON log_operations (created_at) WHERE state IN ('waiting', 'running')`,
    `CREATE VIRTUAL TABLE log_operations_search USING fts5 (
      text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    )`,
    `CREATE TABLE log_messages (
      id INTEGER PRIMARY KEY,
      created_at INTEGER NOT NULL,
      level TEXT NOT NULL,
      type TEXT NOT NULL,
      source TEXT NOT NULL,
      context TEXT,
      duration_ms INTEGER,
      message TEXT NOT NULL,
      details TEXT
    ) STRICT`,
    `CREATE VIRTUAL TABLE log_messages_search USING fts5 (
      text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    )`,
  ],
};
