import type { Migration } from './migration.ts';

/**
 * What the inspector says of a provider's webhook beside its outcome (ui.md 6.13): what the check of its signature came
 * to, and the deliveries that pass it on.
 */
export const webhookFacts: Migration = {
  id: '0047-webhook-facts',
  breaking: false,
  statements: [
    'ALTER TABLE incoming_webhooks ADD COLUMN signature TEXT',
    'ALTER TABLE webhook_deliveries ADD COLUMN incoming_id TEXT',
    `CREATE INDEX webhook_deliveries_incoming ON webhook_deliveries (incoming_id, state)
     WHERE incoming_id IS NOT NULL`,
  ],
};
