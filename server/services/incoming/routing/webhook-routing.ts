import type { IntegrationAppCredentials } from '../../integrations/integration.ts';

/**
 * What stands between a provider's webhook and the connections that it concerns (webhooks.md 2.1 to 2.5). A routing
 * decides and reads; what follows from its decision (runs, forwarding, the answer) is done by its caller, so every
 * routing can be tested with a webhook and a list of connections alone.
 */

/** A provider's request as it arrived. */
export interface ProviderWebhook {
  /** Lower-case names; values of a repeated header are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** Every byte of the body, for signatures. */
  rawBody: Buffer;
  /** JSON value, or the fields of a form, or the text of anything else; `{}` when the body is empty. */
  body: unknown;
}

/** The integration that the address named. */
export interface RoutedIntegration {
  uniqueKey: string;
  /** Key of the provider in the catalogue. */
  provider: string;
  /** The developer's app at the provider, secrets opened. */
  app: IntegrationAppCredentials;
}

/**
 * Connections whose `property` fits (webhooks.md 2.2): `connectionId`, `metadata.<key>` (equal, or an array that holds
 * it), else a flat key of the connection configuration. Values compare as text; an empty one fits no connection.
 */
export interface PropertyTarget {
  property: string;
  value: unknown;
}

export type MatchTarget = PropertyTarget | 'all';

/** As much of a connection as a routing may see. */
export interface RoutedConnection {
  connectionId: string;
  metadata: Readonly<Record<string, unknown>>;
}

export interface RoutingContext {
  integration: RoutedIntegration;
  /** Connections of this integration that fit. */
  match(target: MatchTarget): Promise<RoutedConnection[]>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Addresses under which the provider may know this webhook: by integration key and by provider name. */
  addresses: readonly string[];
  /** A public document over https, such as a provider's keys; throws when it cannot be had. */
  fetchDocument(url: string): Promise<FetchedDocument>;
  /** The user repeats a webhook, maybe edited: its signature is not to be checked. */
  skipsSignature?: boolean;
  /** Told what a look at the signature came to; never told by a routing whose provider signs nothing. */
  onSignature?: (result: CheckedSignature) => void;
}

/** `unchecked`: no secret is known to check with; `skipped`: the user repeats it and wants no check. */
export type CheckedSignature = 'valid' | 'invalid' | 'unchecked' | 'skipped';

export interface FetchedDocument {
  json: unknown;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
}

/** One thing that happened at the provider. */
export interface RoutedEvent {
  /** The first that fits any connection counts. */
  targets: readonly MatchTarget[];
  /** Compared with `webhookSubscriptions`: a type of the body, a header's value. Only `*` takes an event without any. */
  types: readonly string[];
  /** Second argument of `onWebhook`. */
  payload: unknown;
}

/** An installation at the provider that a waiting connection may belong to (github-app-oauth, sentry-oauth). */
export interface CompletedInstallation {
  /** Fields of the waiting connection's configuration that must be equal; a list holds the values that will do. */
  where: Readonly<Record<string, string | readonly string[]>>;
  /** Written into its configuration. */
  config: Readonly<Record<string, unknown>>;
  /** Authorization code that the connection's credentials are still to be had for. */
  code?: string;
}

export interface HandledWebhook {
  kind: 'handled';
  events: readonly RoutedEvent[];
  /** What the caller's application receives; `{}` when the webhook was empty. */
  forward: unknown;
  /** Body of the 200 where the provider wants another than ours; may be empty. */
  answer?: string;
  /** Ignored unless the signature was checked: it binds a connection to an account. */
  installation?: CompletedInstallation;
}

/** A handshake: the provider gets its answer, nothing runs and nothing is forwarded. */
export interface AnsweredWebhook {
  kind: 'answered';
  contentType: 'text/plain' | 'application/json';
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** Wrong or missing signature (401), or something that the webhook must carry is not there (400). */
export interface RefusedWebhook {
  kind: 'refused';
  status: 400 | 401;
  message: string;
}

export type RoutingResult = HandledWebhook | AnsweredWebhook | RefusedWebhook;

export type WebhookRouting = (
  webhook: ProviderWebhook,
  context: RoutingContext,
) => Promise<RoutingResult> | RoutingResult;
