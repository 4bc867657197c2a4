import { matchingId, routeBody, typeAt } from './body-routing.ts';
import { MISSING_CONNECTION_ID } from './refusals.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { connectionIdOf } from './webhook-fields.ts';

export const calComWebhookRouting = routeBody({
  requires: (webhook) => (connectionIdOf(webhook) ? undefined : MISSING_CONNECTION_ID),
  signature: hmacHeader({
    header: 'x-cal-signature-256',
    encoding: 'hex',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('triggerEvent'),
  targets: matchingId(connectionIdOf),
});
