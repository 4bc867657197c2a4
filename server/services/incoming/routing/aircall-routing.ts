import { routeBody, typeAt } from './body-routing.ts';
import { matchingNamed, secretsOfWebhook } from './named-connection.ts';
import { checkSignature } from './signature-checks.ts';
import { isSameText } from './signatures.ts';
import { textAt } from './webhook-fields.ts';

/** Every webhook of Aircall has a token of its own: it stands in the metadata of the connection or the settings. */
export const aircallWebhookRouting = routeBody({
  signature: checkSignature({
    find: ({ body }) => textAt(body, 'token'),
    secrets: secretsOfWebhook,
    when: 'secret-is-set',
    fits: ({ sent, secret }) => isSameText(sent, secret),
  }),
  types: typeAt('event'),
  targets: matchingNamed,
});
