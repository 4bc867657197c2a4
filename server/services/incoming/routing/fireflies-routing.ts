import { routeBody } from './body-routing.ts';
import { matchingNamed } from './named-connection.ts';
import { checkSignature, header, webhookSecret } from './signature-checks.ts';
import { hmacText, isSameText } from './signatures.ts';
import { textAt } from './webhook-fields.ts';

const PREFIX = 'sha256=';

/** Fireflies has two versions of webhooks, one with a prefix before the signature; each calls the type otherwise. */
export const firefliesWebhookRouting = routeBody({
  signature: checkSignature({
    find: header('x-hub-signature'),
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: ({ sent, secret, webhook }) =>
      isSameText(
        sent.startsWith(PREFIX) ? sent.slice(PREFIX.length) : sent,
        hmacText({ encoding: 'hex' }, secret, webhook.rawBody),
      ),
  }),
  types: (body) => [textAt(body, 'eventType') ?? textAt(body, 'event')],
  targets: matchingNamed,
});
