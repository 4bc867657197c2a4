import { matching, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { listAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const routeEvents = routeBody({
  signature: hmacHeader({ header: 'x-xero-signature', encoding: 'base64', secrets: webhookSecret, when: 'always' }),
  items: (body) => listAt(body, 'events'),
  types: typeAt('eventType'),
  targets: matching('tenantId', 'tenant_id'),
});

/** Xero asks whether a receiver checks signatures with webhooks without events, right and wrong ones. */
export const xeroWebhookRouting: WebhookRouting = async (webhook, context) => {
  const result = await routeEvents(webhook, context);
  const isQuestion = result.kind === 'handled' && result.events.length === 0;
  return isQuestion ? { kind: 'answered', contentType: 'text/plain', text: '' } : result;
};
