import { matching, noType, routeBody } from './body-routing.ts';
import { FIVE_MINUTES_MS, standardHeaders, webhookSecret } from './signature-checks.ts';

export const fathomWebhookRouting = routeBody({
  signature: standardHeaders({
    names: ['webhook', 'svix'],
    secrets: webhookSecret,
    when: 'secret-is-set',
    toleranceMs: FIVE_MINUTES_MS,
  }),
  types: noType,
  targets: matching('recorded_by.email', 'metadata.emailAddress'),
});
