import { matching, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';

export const linearWebhookRouting = routeBody({
  signature: hmacHeader({ header: 'linear-signature', encoding: 'hex', secrets: webhookSecret, when: 'always' }),
  types: typeAt('type'),
  targets: matching('organizationId'),
});
