import { routeBody, typeAt } from './body-routing.ts';
import { namedOrMatching } from './named-connection.ts';
import { FIVE_MINUTES_MS, timestampedHeader, webhookSecret } from './signature-checks.ts';

/** Events of connected accounts name the account: what a key acts for, or what signed in to the app. */
export const stripeWebhookRouting = routeBody({
  signature: timestampedHeader({
    header: 'stripe-signature',
    secrets: webhookSecret,
    when: 'secret-is-set',
    toleranceMs: FIVE_MINUTES_MS,
  }),
  types: typeAt('type'),
  targets: namedOrMatching('account', 'context', 'stripe_user_id'),
});
