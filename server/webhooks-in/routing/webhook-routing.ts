import { valueAt } from '../../integrations/catalog/template/resolve-template.ts';
import type { IntegrationAppCredentials } from '../../integrations/integration.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';

/**
 * Routings find the connections that a provider's webhook concerns (webhooks.md 2.1 to 2.5). A routing only decides and
 * reads; its caller runs functions, forwards and responds. So every routing can be tested with a webhook and a list of
 * connections.
 */

/** A provider's request, as it arrived. */
export interface ProviderWebhook {
  /** `POST`; `GET` or `HEAD` when a provider checks the address. */
  method: string;
  /** Lower-case names; values of a repeated header are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** The first value of each name. */
  query: Readonly<Record<string, string>>;
  /** Every byte of the body, for signatures. */
  rawBody: Buffer;
  /** The JSON value, the fields of a form, or the text of any other body; `{}` when the body is empty. */
  body: unknown;
}

/** The integration in the address. */
export interface RoutedIntegration {
  uniqueKey: string;
  /** Key of the provider in the catalogue. */
  provider: string;
  /** The developer's app at the provider, with opened secrets. */
  app: IntegrationAppCredentials;
}

/**
 * Connections with a matching `property` (webhooks.md 2.2): `connectionId`, `metadata.<key>` (equal, or an array that
 * contains it), else a flat key of the connection configuration. Values compare as text; an empty value matches no
 * connection.
 */
export interface PropertyTarget {
  property: string;
  value: unknown;
}

export type MatchTarget = PropertyTarget | 'all';

/** The part of a connection that a routing may see. */
export interface RoutedConnection {
  connectionId: string;
  metadata: Readonly<Record<string, unknown>>;
}

export interface RoutingContext {
  integration: RoutedIntegration;
  /** Connections of this integration that match. */
  match(target: MatchTarget): Promise<RoutedConnection[]>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Addresses that the provider may use for this webhook: with the integration key and with the provider name. */
  addresses: readonly string[];
  /**
   * Addresses that the provider may have called, with their query, for signatures that cover the address. A tunnel may
   * have changed the host, and headers of the caller count: prove nothing by them without a secret.
   */
  urls: readonly string[];
  /** Fetches a public document over https, such as a provider's keys; throws when that fails. */
  fetchDocument(url: string): Promise<FetchedDocument>;
  /** True when the user repeats a webhook, possibly edited: its signature is not checked. */
  skipsSignature?: boolean;
  /** Receives the result of the signature check. Routings of providers that do not sign never call it. */
  onSignature?: (result: CheckedSignature) => void;
}

/** `unchecked`: no secret for a check is known; `skipped`: the user repeats the webhook without a check. */
export type CheckedSignature = 'valid' | 'invalid' | 'unchecked' | 'skipped';

export interface FetchedDocument {
  text: string;
  /** Undefined when the text is not JSON. */
  json: unknown;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
}

/** One event at the provider. */
export interface RoutedEvent {
  /** The first target that matches any connection counts. */
  targets: readonly MatchTarget[];
  /**
   * Compared with `webhookSubscriptions`: a type from the body or a header. An event without types matches `*` only.
   */
  types: readonly string[];
  /** Second argument of `onWebhook`. */
  payload: unknown;
}

/** An installation at the provider that may belong to a waiting connection (github-app-oauth, sentry-oauth). */
export interface CompletedInstallation {
  /** Fields of the waiting connection's configuration that must be equal; a list holds the accepted values. */
  where: Readonly<Record<string, string | readonly string[]>>;
  /** Added to its configuration. */
  config: Readonly<Record<string, unknown>>;
  /** Authorization code, when the connection's credentials have not been exchanged yet. */
  code?: string;
}

export interface HandledWebhook {
  kind: 'handled';
  events: readonly RoutedEvent[];
  /** What the caller's app receives; `{}` when the webhook was empty. */
  forward: unknown;
  /** Body of the 200 response when the provider requires a certain one; may be empty. */
  response?: string;
  /** Ignored unless the signature was checked, because it assigns an account to a connection. */
  installation?: CompletedInstallation;
}

/** A handshake: the provider gets its response, and nothing is run or forwarded. */
export interface AnsweredWebhook {
  kind: 'answered';
  /** Default 200. */
  status?: 200 | 204;
  contentType: 'text/plain' | 'application/json';
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** A wrong or missing signature (401), a missing required part (400), or a check of the address that fails (403, 404). */
export interface RefusedWebhook {
  kind: 'refused';
  status: 400 | 401 | 403 | 404;
  message: string;
  /** Whether the provider only checked the address. */
  isAddressCheck?: boolean;
}

export type RoutingResult = HandledWebhook | AnsweredWebhook | RefusedWebhook;

export type WebhookRouting = (
  webhook: ProviderWebhook,
  context: RoutingContext,
) => Promise<RoutingResult> | RoutingResult;

/**
 * The text at a dotted path in a provider's data; numbers become text, with all their digits. Undefined for other types
 * and for an empty text.
 */
export function textAt(source: unknown, path: string): string | undefined {
  const value = valueAt(source, path);
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

/** The list at a dotted path; empty when there is no list. */
export function listAt(source: unknown, path: string): unknown[] {
  const value = valueAt(source, path);
  return Array.isArray(value) ? value : [];
}

/** Members of an object; empty when the value is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

/** The items of a list, or the value itself. */
export function eachOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

export const CONNECTION_HEADER = 'x-nango-connection-id';

/** The connection in the webhook's own address or body, when the developer chose the address. */
export function connectionIdOf({ query, body }: ProviderWebhook): string | undefined {
  return query['nangoConnectionId'] || textAt(body, 'nangoConnectionId');
}

export function connectionTarget(value: string | undefined): PropertyTarget {
  return { property: 'connectionId', value };
}

export const MISSING_SIGNATURE = refuse(401, 'Missing webhook signature');
export const INVALID_SIGNATURE = refuse(401, 'Invalid webhook signature');
export const MISSING_CONNECTION_ID = refuse(400, 'Webhook payload is missing nangoConnectionId');

export function refuse(status: RefusedWebhook['status'], message: string): RefusedWebhook {
  return { kind: 'refused', status, message };
}

export function missingHeader(name: string): RefusedWebhook {
  return refuse(400, `The webhook has no header ${name}.`);
}
