import { routeBody, typeAt } from './body-routing.ts';
import { matchingNamed } from './named-connection.ts';
import { checkSignature, FIVE_MINUTES_MS, header, webhookSecret } from './signature-checks.ts';
import { hmacText, isSameText } from './signatures.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const CHALLENGE = 'x-front-challenge';

const routeEvent = routeBody({
  signature: checkSignature({
    find: header('x-front-signature'),
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: ({ sent, secret, webhook, context }) => {
      // Milliseconds.
      const time = webhook.headers['x-front-request-timestamp'] ?? '';
      const isInTime = /^\d{1,15}$/.test(time) && Math.abs(context.now() - Number(time)) <= FIVE_MINUTES_MS;
      return isInTime && isSameText(sent, hmacText({ encoding: 'base64' }, secret, `${time}:`, webhook.rawBody));
    },
  }),
  types: typeAt('type'),
  targets: matchingNamed,
});

/** Webhooks of a Front application. When their address is saved, Front sends a signed challenge. */
export const frontWebhookRouting: WebhookRouting = async (webhook, context) => {
  const result = await routeEvent(webhook, context);
  const challenge = webhook.headers[CHALLENGE];
  return result.kind === 'handled' && challenge
    ? { kind: 'answered', contentType: 'text/plain', text: challenge }
    : result;
};
