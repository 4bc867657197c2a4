import { routeBody, typeAt } from './body-routing.ts';
import { matchingNamed } from './named-connection.ts';
import { versionedHeaders, webhookSecret } from './signature-checks.ts';
import { hmacText } from './signatures.ts';
import { refuse, textAt } from './webhook-fields.ts';
import type { ProviderWebhook, RoutingContext, RoutingResult, WebhookRouting } from './webhook-routing.ts';

/**
 * Zoom signs texts that begin with `v0:` with the same key: answering such a token would give its sender a signature.
 */
const PLAIN_TOKEN = /^[\w-]{1,200}$/;

const routeEvent = routeBody({
  signature: versionedHeaders({
    header: 'x-zm-signature',
    timeHeader: 'x-zm-request-timestamp',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('event'),
  targets: matchingNamed,
});

export const zoomWebhookRouting: WebhookRouting = (webhook, context) =>
  textAt(webhook.body, 'event') === 'endpoint.url_validation'
    ? answerValidation(webhook, context)
    : routeEvent(webhook, context);

/** Zoom checks from time to time whether the receiver knows the secret token of the app. */
function answerValidation({ body }: ProviderWebhook, { integration }: RoutingContext): RoutingResult {
  const plainToken = textAt(body, 'payload.plainToken');
  const { webhookSecret: secret } = integration.app;
  if (!secret) return refuse(400, 'Zoom asks for its secret token. Enter it as the webhook secret of the integration.');
  if (plainToken === undefined || !PLAIN_TOKEN.test(plainToken))
    return refuse(400, 'The validation of the address has no plainToken.');
  const encryptedToken = hmacText({ encoding: 'hex' }, secret, plainToken);
  return { kind: 'answered', contentType: 'application/json', text: JSON.stringify({ plainToken, encryptedToken }) };
}
