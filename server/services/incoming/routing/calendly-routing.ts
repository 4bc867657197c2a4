import { matching, routeBody, typeAt } from './body-routing.ts';
import { timestampedHeader, webhookSecret } from './signature-checks.ts';

const TOLERANCE_MS = 3 * 60_000;

export const calendlyWebhookRouting = routeBody({
  signature: timestampedHeader({
    header: 'calendly-webhook-signature',
    secrets: webhookSecret,
    when: 'secret-is-set',
    toleranceMs: TOLERANCE_MS,
  }),
  types: typeAt('event'),
  targets: matching('created_by', 'owner'),
});
