import type { AddressCheck } from './address-checks.ts';
import {
  connectionSecrets,
  refuseUnsigned,
  type SecretSource,
  type SignatureCheck,
  webhookSecret,
} from './signature-checks.ts';
import {
  CONNECTION_HEADER,
  connectionTarget,
  type MatchTarget,
  type ProviderWebhook,
  type RefusedWebhook,
  type RoutedEvent,
  textAt,
  type WebhookRouting,
} from './webhook-routing.ts';

/** Types in a webhook; undefined ones are ignored. */
export type MaybeTypes = ReadonlyArray<string | undefined>;

export interface BodyRouting {
  /** How the provider checks the address; answered before the signature is checked. */
  handshake?: AddressCheck;
  /** The same for providers that sign it. */
  signedHandshake?: AddressCheck;
  /** Webhooks that the provider cannot sign, because they contain the secret; they are forwarded, and run nothing. */
  unsigned?: (webhook: ProviderWebhook) => boolean;
  signature?: SignatureCheck;
  /** Checks what the webhook must contain, before anything else. */
  requires?: (webhook: ProviderWebhook) => RefusedWebhook | undefined;
  /** The parts of the body that are one event each. Default: the whole body. */
  items?: (body: unknown, webhook: ProviderWebhook) => readonly unknown[];
  types: (item: unknown, webhook: ProviderWebhook) => MaybeTypes;
  targets: (item: unknown, webhook: ProviderWebhook) => readonly MatchTarget[];
  /** Body of the 200 response, for providers that require a certain one. */
  response?: string;
}

/** The routing of most providers: handlers get the parts of the body, the app gets the whole body. */
export function routeBody(rule: BodyRouting): WebhookRouting {
  const { handshake, signedHandshake, unsigned, signature, requires, items = single, types, targets, response } = rule;
  return async (webhook, context) => {
    const answer = handshake?.(webhook, context);
    if (answer) return answer.kind === 'refused' ? { ...answer, isAddressCheck: true } : answer;
    if (unsigned?.(webhook)) return { kind: 'handled', events: [], forward: webhook.body };
    const refusal = requires?.(webhook) ?? (signature && (await refuseUnsigned(signature, webhook, context)));
    if (refusal) return refusal;
    const signedAnswer = signedHandshake?.(webhook, context);
    if (signedAnswer) return signedAnswer;
    const events = items(webhook.body, webhook).map((item) =>
      routedEvent(types(item, webhook), targets(item, webhook), item),
    );
    return { kind: 'handled', events, forward: webhook.body, ...(response === undefined ? {} : { response }) };
  };
}

const single = (body: unknown): unknown[] => [body];

export function routedEvent(types: MaybeTypes, targets: readonly MatchTarget[], payload: unknown): RoutedEvent {
  return { types: types.filter((type) => type !== undefined), targets, payload };
}

const TYPE_FIELDS = ['type', 'event', 'event_type', 'topic'];

/** The type as most providers write it; for providers without a rule of their own. */
export const commonType: BodyRouting['types'] = (item) => [
  TYPE_FIELDS.map((field) => textAt(item, field)).find((text) => text !== undefined),
];

/** Reads the type from the body. */
export function typeAt(path: string): BodyRouting['types'] {
  return (item) => [textAt(item, path)];
}

/** Reads the type from a header. */
export function typeIn(name: string): BodyRouting['types'] {
  return (_item, { headers }) => [headers[name]];
}

/** Events without a type: only subscriptions to `*` get them. */
export const noType: BodyRouting['types'] = () => [];

/** The connections with a property that equals the value at the path. */
export function matching(path: string, property: string = path): BodyRouting['targets'] {
  return (item) => [{ property, value: textAt(item, path) }];
}

/** The connection whose id the webhook contains. */
export function matchingId(idOf: (webhook: ProviderWebhook) => string | undefined): BodyRouting['targets'] {
  return (_item, webhook) => [connectionTarget(idOf(webhook))];
}

export const matchingAll: BodyRouting['targets'] = () => ['all'];

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
