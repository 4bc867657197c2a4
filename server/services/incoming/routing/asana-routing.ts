import { routeBody } from './body-routing.ts';
import { matchingNamed, secretsOfWebhook } from './named-connection.ts';
import { hmacHeader } from './signature-checks.ts';
import { listAt, textAt } from './webhook-fields.ts';
import type { WebhookRouting } from './webhook-routing.ts';

const HANDSHAKE = 'x-hook-secret';

/**
 * Every webhook of Asana has its own secret. Who makes the webhook gets it in the answer and keeps it in the metadata
 * of the connection; one from the handshake is not believed, for anyone can shake hands.
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

/** Such as `task.changed`. */
function typeOf(event: unknown): string | undefined {
  const [kind, action] = [textAt(event, 'resource.resource_type'), textAt(event, 'action')];
  return kind === undefined || action === undefined ? undefined : `${kind}.${action}`;
}
