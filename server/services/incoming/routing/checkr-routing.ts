import { matching, routeBody, typeAt } from './body-routing.ts';
import { anyAppSecret, hmacHeader } from './signature-checks.ts';

export const checkrPartnerWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-checkr-signature',
    encoding: 'hex',
    secrets: anyAppSecret,
    when: 'always',
  }),
  types: typeAt('type'),
  targets: matching('account_id', 'checkr_account_id'),
});
