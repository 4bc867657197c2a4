import { routeBody } from './body-routing.ts';
import { matchingNamed, secretsOfWebhook } from './named-connection.ts';
import { hmacHeader } from './signature-checks.ts';
import { listAt, textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const HANDSHAKE = 'x-hook-secret';

/**
 * Each webhook of Asana has its own secret. Its creator gets the secret in the answer and stores it in the metadata of
 * the connection. A secret from the handshake is not used, because anyone can perform a handshake.
 */
const routeEvents = routeBody({
  signature: hmacHeader({
    header: 'x-hook-signature',
    encoding: 'hex',
    secrets: secretsOfWebhook,
    when: 'secret-is-set',
  }),
  types: (body) => [...new Set(listAt(body, 'events').map(typeOf))],
  targets: matchingNamed,
});

export const asanaWebhookRouting: WebhookRouting = (webhook, context) => {
  const secret = webhook.headers[HANDSHAKE];
  return secret
    ? { kind: 'answered', contentType: 'text/plain', text: '', headers: { [HANDSHAKE]: secret } }
    : routeEvents(webhook, context);
};

/** For example `task.changed`. */
function typeOf(event: unknown): string | undefined {
  const [kind, action] = [textAt(event, 'resource.resource_type'), textAt(event, 'action')];
  return kind === undefined || action === undefined ? undefined : `${kind}.${action}`;
}
