import { refuseUnsigned, type SignatureCheck } from './signature-checks.ts';
import { connectionTarget, textAt } from './webhook-fields.ts';
import type { MatchTarget, ProviderWebhook, RefusedWebhook, RoutedEvent, WebhookRouting } from './webhook-routing.ts';

/** Types as a webhook carries them; what is not there counts for nothing. */
export type MaybeTypes = ReadonlyArray<string | undefined>;

export interface BodyRouting {
  signature?: SignatureCheck;
  /** What the webhook must carry before anything else is looked at. */
  requires?: (webhook: ProviderWebhook) => RefusedWebhook | undefined;
  /** The things that happened, each an event; without it the body is one. */
  items?: (body: unknown) => readonly unknown[];
  types: (item: unknown, webhook: ProviderWebhook) => MaybeTypes;
  targets: (item: unknown, webhook: ProviderWebhook) => readonly MatchTarget[];
}

/** The routing of most providers: handlers get what the body says, the application gets the whole body. */
export function routeBody({ signature, requires, items = single, types, targets }: BodyRouting): WebhookRouting {
  return async (webhook, context) => {
    const refusal = requires?.(webhook) ?? (signature && (await refuseUnsigned(signature, webhook, context)));
    if (refusal) return refusal;
    const events = items(webhook.body).map((item) => routedEvent(types(item, webhook), targets(item, webhook), item));
    return { kind: 'handled', events, forward: webhook.body };
  };
}

const single = (body: unknown): unknown[] => [body];

export function routedEvent(types: MaybeTypes, targets: readonly MatchTarget[], payload: unknown): RoutedEvent {
  return { types: types.filter((type) => type !== undefined), targets, payload };
}

/** The type stands in the body. */
export function typeAt(path: string): BodyRouting['types'] {
  return (item) => [textAt(item, path)];
}

/** The type stands in a header. */
export function typeIn(name: string): BodyRouting['types'] {
  return (_item, { headers }) => [headers[name]];
}

/** Only `*` takes the events. */
export const noType: BodyRouting['types'] = () => [];

/** The connections whose property has the value at the path. */
export function matching(path: string, property: string = path): BodyRouting['targets'] {
  return (item) => [{ property, value: textAt(item, path) }];
}

/** The connection that the webhook names. */
export function matchingId(idOf: (webhook: ProviderWebhook) => string | undefined): BodyRouting['targets'] {
  return (_item, webhook) => [connectionTarget(idOf(webhook))];
}

export const matchingAll: BodyRouting['targets'] = () => ['all'];
