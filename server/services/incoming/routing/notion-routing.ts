import { matching, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const routeEvent = routeBody({
  signature: hmacHeader({
    header: 'x-notion-signature',
    encoding: 'hex',
    prefix: 'sha256=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('type'),
  targets: matching('workspace_id'),
});

/**
 * The key of the signature comes in the first webhook, unsigned; the developer's application is told it and nothing
 * else is done with it.
 */
export const notionWebhookRouting: WebhookRouting = (webhook, context) =>
  textAt(webhook.body, 'verification_token') === undefined
    ? routeEvent(webhook, context)
    : { kind: 'handled', events: [], forward: webhook.body };
