import { matchingId, routeBody, typeAt } from './body-routing.ts';
import { MISSING_CONNECTION_ID } from './refusals.ts';
import { standardHeaders, webhookSecret } from './signature-checks.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

const connectionId = ({ query }: ProviderWebhook): string | undefined => query['nangoConnectionId'];

export const folkWebhookRouting = routeBody({
  requires: (webhook) => (connectionId(webhook) ? undefined : MISSING_CONNECTION_ID),
  signature: standardHeaders({ names: ['webhook'], secrets: webhookSecret, when: 'secret-is-set' }),
  types: typeAt('type'),
  targets: matchingId(connectionId),
});
