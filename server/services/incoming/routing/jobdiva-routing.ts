import { matchingAll, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';

/** Nothing in the webhook tells the account. */
export const jobdivaWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hub-signature',
    algorithm: 'sha1',
    encoding: 'hex',
    prefix: 'sha1=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('type'),
  targets: matchingAll,
});
