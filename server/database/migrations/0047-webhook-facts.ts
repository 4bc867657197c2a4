import type { Migration } from './migration.ts';

/**
 * Further facts about a provider's webhook for the inspector (ui.md 6.13): the result of the check of its signature,
 * and the deliveries that forward it.
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
