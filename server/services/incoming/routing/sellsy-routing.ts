import { type MaybeTypes, matching, routeBody } from './body-routing.ts';
import { checkSignature, header, webhookSecret } from './signature-checks.ts';
import { isPrefixedHash } from './signed-forms.ts';
import { textAt } from './webhook-fields.ts';

export const sellsyWebhookRouting = routeBody({
  signature: checkSignature({
    find: header('x-webhook-signature'),
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: ({ sent, secret, webhook }) => isPrefixedHash('sha1', sent, secret, webhook),
  }),
  types: typesOf,
  targets: matching('corpid'),
});

/** The log of a third party tells events by the party's kind, and by itself. */
function typesOf(body: unknown): MaybeTypes {
  const join = (...names: string[]): string | undefined => {
    const parts = names.map((name) => textAt(body, name));
    return parts.includes(undefined) ? undefined : parts.join('.');
  };
  return textAt(body, 'eventType') === 'thirdlog'
    ? [join('thirdtype', 'event'), join('relatedtype', 'eventType', 'event')]
    : [join('relatedtype', 'event')];
}
