import { type BodyRouting, matchingId } from './body-routing.ts';
import { connectionSecrets, type SecretSource, webhookSecret } from './signature-checks.ts';
import { CONNECTION_HEADER, textAt } from './webhook-fields.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

/** The connection id that the creator of the webhook put in its address, a header or the body (webhooks.md 2.5, H). */
export function namedConnection({ query, headers, body }: ProviderWebhook): string | undefined {
  const sent = query['nangoConnectionId'] || headers[CONNECTION_HEADER];
  return sent || (textAt(body, 'connectionId') ?? textAt(body, 'nangoConnectionId'));
}

/** The named connection; without a name, the connections with a property that equals the value at the path. */
export function namedOrMatching(path: string, ...properties: [string, ...string[]]): BodyRouting['targets'] {
  return (item, webhook) => [
    ...matchingId(namedConnection)(item, webhook),
    ...properties.map((property) => ({ property, value: textAt(item, path) })),
  ];
}

export const matchingNamed: BodyRouting['targets'] = matchingId(namedConnection);

/**
 * For providers where each webhook has its own secret: the secrets of the named connection, and the one in the
 * settings.
 */
export const secretsOfWebhook: SecretSource = async (context, webhook) => [
  ...(await connectionSecrets(namedConnection)(context, webhook)),
  ...(await webhookSecret(context, webhook)),
];
