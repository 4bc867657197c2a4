import { routeBody, typeAt } from './body-routing.ts';
import { matchingNamed } from './named-connection.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';

/** The webhook secret is the client secret of the app, entered once more: that it is there turns the check on. */
export const intercomWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hub-signature',
    algorithm: 'sha1',
    encoding: 'hex',
    prefix: 'sha1=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('topic'),
  targets: matchingNamed,
});
