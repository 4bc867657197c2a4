import { matchingId, routeBody, typeAt } from './body-routing.ts';
import { missingHeader } from './refusals.ts';
import { checkSignature, connectionSecrets, header } from './signature-checks.ts';
import { hmacText, isSameText } from './signatures.ts';
import { CONNECTION_HEADER } from './webhook-fields.ts';

const connectionId = header(CONNECTION_HEADER);

/** Each webhook there has a secret and headers of its own: the developer adds the one with the connection's id. */
export const pagerdutyWebhookRouting = routeBody({
  requires: (webhook) => (connectionId(webhook) ? undefined : missingHeader(CONNECTION_HEADER)),
  signature: checkSignature({
    find: header('x-pagerduty-signature'),
    secrets: connectionSecrets(connectionId),
    when: 'secret-is-set',
    fits: ({ sent, secret, webhook }) => {
      const expected = hmacText({ encoding: 'hex', prefix: 'v1=' }, secret, webhook.rawBody);
      return sent.split(',').some((one) => isSameText(one.trim(), expected));
    },
  }),
  types: typeAt('event.event_type'),
  targets: matchingId(connectionId),
});
