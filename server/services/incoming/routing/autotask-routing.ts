import { matching, routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';

export const autotaskWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hook-signature',
    algorithm: 'sha1',
    encoding: 'base64',
    prefix: 'sha1=',
    secrets: webhookSecret,
    when: 'always',
  }),
  types: typeAt('EntityType'),
  targets: matching('Guid', 'webhookGuid'),
});
