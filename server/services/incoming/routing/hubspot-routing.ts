import { matching, routeBody, typeAt } from './body-routing.ts';
import { checkSignature, clientSecret, header } from './signature-checks.ts';
import { isPrefixedHash } from './signatures.ts';
import { eachOf, textAt } from './webhook-fields.ts';

export const hubspotWebhookRouting = routeBody({
  signature: checkSignature({
    find: header('x-hubspot-signature'),
    secrets: clientSecret,
    when: 'always',
    fits: ({ sent, secret, webhook }) => isPrefixedHash('sha256', sent, secret, webhook),
  }),
  items: inOrder,
  types: typeAt('subscriptionType'),
  targets: matching('portalId'),
});

/** HubSpot's batches are unordered: events are grouped by object, its creation first, then by time. */
function inOrder(body: unknown): unknown[] {
  const byObject = new Map<string, unknown[]>();
  for (const event of eachOf(body).filter((one) => textAt(one, 'changeSource') !== 'IMPORT')) {
    const object = textAt(event, 'objectId') ?? '';
    byObject.set(object, [...(byObject.get(object) ?? []), event]);
  }
  return [...byObject.values()].flatMap((events) => events.sort(byCreationAndTime));
}

function byCreationAndTime(a: unknown, b: unknown): number {
  const rank = (event: unknown): number => (textAt(event, 'subscriptionType')?.endsWith('.creation') ? 0 : 1);
  const time = (event: unknown): number => Number(textAt(event, 'occurredAt') ?? 0);
  return rank(a) - rank(b) || time(a) - time(b);
}
