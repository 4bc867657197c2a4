/** Webhooks to the caller's application: they stay after they were delivered or given up, with every attempt. */
export const webhookOutTables: readonly string[] = [
  // Destinations beside the primary and the secondary URL of the settings (webhooks.md 1.7). The filters are JSON
  // arrays of text, the address is sealed. A delivery to one of them names it.
  `CREATE TABLE webhook_destinations (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      name TEXT,
      url TEXT NOT NULL,
      is_enabled INTEGER NOT NULL,
      types TEXT NOT NULL,
      integrations TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
  'CREATE INDEX webhook_destinations_environment ON webhook_destinations (environment_id, seq)',
  `CREATE TABLE webhook_deliveries (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      state TEXT NOT NULL,
      type TEXT NOT NULL,
      cause TEXT NOT NULL,
      origin_id TEXT,
      integration_key TEXT,
      connection_id TEXT,
      message TEXT NOT NULL,
      operation_id TEXT,
      destination INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      last_code INTEGER,
      last_error TEXT,
      last_duration_ms INTEGER,
      created_at INTEGER NOT NULL,
      next_attempt_at INTEGER,
      finished_at INTEGER,
      destinations TEXT NOT NULL,
      content TEXT NOT NULL,
      webhook_destination_id TEXT,
      incoming_id TEXT
    ) STRICT`,
  `CREATE INDEX webhook_deliveries_list
      ON webhook_deliveries (environment_id, seq, state, type, integration_key, connection_id, message, id)`,
  'CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (environment_id, finished_at)',
  'CREATE INDEX webhook_deliveries_origin ON webhook_deliveries (origin_id) WHERE origin_id IS NOT NULL',
  `CREATE INDEX webhook_deliveries_waiting
      ON webhook_deliveries (webhook_destination_id)
      WHERE webhook_destination_id IS NOT NULL AND state = 'waiting'`,
  `CREATE INDEX webhook_deliveries_incoming
      ON webhook_deliveries (incoming_id, state)
      WHERE incoming_id IS NOT NULL`,
  `CREATE TABLE webhook_attempts (
      delivery_seq INTEGER NOT NULL REFERENCES webhook_deliveries (seq) ON DELETE CASCADE,
      destination INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      code INTEGER,
      error TEXT,
      response TEXT NOT NULL,
      PRIMARY KEY (delivery_seq, destination, attempt)
    ) STRICT, WITHOUT ROWID`,
];
