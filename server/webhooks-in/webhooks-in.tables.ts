/** Webhooks of providers as they arrived, and the runs of `onWebhook` that they caused. */
export const webhookInTables: readonly string[] = [
  // `signature`: the result of its check; `forwards`: the deliveries that forward it (ui.md 6.13).
  `CREATE TABLE incoming_webhooks (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      integration_key TEXT NOT NULL,
      provider TEXT NOT NULL,
      method TEXT NOT NULL,
      path TEXT NOT NULL,
      request TEXT NOT NULL,
      body TEXT,
      size_bytes INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      status INTEGER NOT NULL,
      message TEXT,
      event_types TEXT NOT NULL,
      connection_ids TEXT NOT NULL,
      forwards INTEGER NOT NULL,
      operation_id TEXT,
      replay_of TEXT,
      duration_ms INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      signature TEXT
    ) STRICT`,
  'CREATE INDEX incoming_webhooks_list ON incoming_webhooks (environment_id, received_at DESC, seq DESC)',
  'CREATE INDEX incoming_webhooks_bodies ON incoming_webhooks (seq) WHERE body IS NOT NULL',
  `CREATE TABLE webhook_runs (
      id TEXT PRIMARY KEY,
      webhook_id TEXT NOT NULL REFERENCES incoming_webhooks (id) ON DELETE CASCADE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      function_name TEXT NOT NULL,
      connection_id TEXT NOT NULL,
      content TEXT,
      state TEXT NOT NULL,
      operation_id TEXT,
      created_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX webhook_runs_by_webhook ON webhook_runs (webhook_id)',
  'CREATE INDEX webhook_runs_by_environment ON webhook_runs (environment_id)',
];
