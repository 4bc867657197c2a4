import { routedEvent } from './body-routing.ts';
import { fieldsOf, textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

/** Airtable says only that something changed: functions keep the ids of their webhooks in the metadata. */
export const airtableWebhookRouting: WebhookRouting = ({ body }) => ({
  kind: 'handled',
  events: [
    routedEvent([], [{ property: 'metadata.webhooks', value: textAt(body, 'webhook.id') }], {
      ...fieldsOf(body),
      type: '*',
    }),
  ],
  forward: body,
});
