import { matching, routeBody, typeAt } from './body-routing.ts';
import { INVALID_SIGNATURE } from './refusals.ts';
import { anyAppSecret, hmacHeader, refuseUnsigned } from './signature-checks.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const signature = hmacHeader({
  header: 'x-checkr-signature',
  encoding: 'hex',
  secrets: anyAppSecret,
  when: 'always',
});

const routeEvent = routeBody({ types: typeAt('type'), targets: matching('account_id', 'checkr_account_id') });

/** A webhook must be signed; that the signature is wrong is told in the log and no reason to refuse it (webhooks.md 2.5). */
export const checkrPartnerWebhookRouting: WebhookRouting = async (webhook, context) => {
  const refusal = await refuseUnsigned(signature, webhook, context);
  if (refusal && refusal !== INVALID_SIGNATURE) return refusal;
  const result = await routeEvent(webhook, context);
  return refusal && result.kind === 'handled' ? { ...result, warning: refusal.message } : result;
};
