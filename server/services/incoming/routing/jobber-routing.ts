import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { matching, routeBody, typeAt } from './body-routing.ts';
import { clientSecret, hmacHeader } from './signature-checks.ts';

export const jobberWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-jobber-hmac-sha256',
    encoding: 'base64',
    secrets: clientSecret,
    when: 'always',
  }),
  items: (body) => [valueAt(body, 'data.webHookEvent')].filter((event) => event !== undefined),
  types: typeAt('topic'),
  targets: matching('accountId'),
});
