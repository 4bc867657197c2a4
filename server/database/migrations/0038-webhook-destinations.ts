import type { Migration } from './migration.ts';

/**
 * Further destinations of outgoing webhooks, beside the primary and the secondary URL of the settings (webhooks.md
 * 1.7). The filters are JSON arrays of text, the address is sealed. A delivery to one of them names it.
 */
export const webhookDestinations: Migration = {
  id: '0038-webhook-destinations',
  breaking: false,
  statements: [
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
    'ALTER TABLE webhook_deliveries ADD COLUMN webhook_destination_id TEXT',
    `CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_destination_id)
      WHERE webhook_destination_id IS NOT NULL AND state = 'waiting'`,
  ],
};
