import { matchingId, routeBody, typeAt } from './body-routing.ts';
import { header, secretHeader, webhookSecret } from './signature-checks.ts';

export const videoaskWebhookRouting = routeBody({
  signature: secretHeader({ header: 'nango-webhook-secret', secrets: webhookSecret, when: 'secret-is-set' }),
  types: typeAt('type'),
  targets: matchingId(header('nango-connection-id')),
});
