import type { Migration } from './migration.ts';

/**
 * Webhooks that wait to be delivered to the caller's application. No earlier version sent any, so no application uses
 * the signing key that each environment got at its creation, or relies on the old default of what is sent.
 */
export const webhookDeliveries: Migration = {
  id: '0010-webhook-deliveries',
  breaking: false,
  statements: [
    `CREATE TABLE webhook_deliveries (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      destination INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX webhook_deliveries_by_environment ON webhook_deliveries (environment_id)',
    `UPDATE environments SET webhook_signing_key = '',
       settings = json_set(settings, '$.webhook.onSyncCompletionAlways', json('true'))`,
  ],
};
