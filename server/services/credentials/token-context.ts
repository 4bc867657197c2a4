import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Ids } from '../../lib/ids.ts';
import type { IntegrationAppCredentials } from '../integrations/integration.ts';
import type { StoredCredentials } from './stored-credentials.ts';

/** One request to an endpoint of the provider that makes or renews tokens. */
export interface TokenRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  /** Lower-case names. */
  headers?: Record<string, string>;
  body?: string;
  /** Client certificate and key, PEM. */
  tls?: { cert: string; key: string } | undefined;
  /** Default 30 s. */
  timeoutMs?: number;
  /** Asks whether something is there: no status is a failure in the log. */
  isProbe?: boolean;
}

export interface TokenAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
}

/** What a kind of credentials may use to make or renew a token. */
export interface TokenContext {
  entry: ProviderEntry;
  /** The developer's app at the provider. */
  app: IntegrationAppCredentials;
  /** Values of the entry's `integration_config`. */
  custom: Record<string, string>;
  connectionConfig: Record<string, unknown>;
  /** What is renewed; a provider that repeats a part of it does not get it into the message. */
  stored?: StoredCredentials;
  /**
   * Any status is an answer and redirects are not followed; a request without an answer throws
   * `provider_unreachable`. Secrets are kept out of the log by the sender.
   */
  send(request: TokenRequest): Promise<TokenAnswer>;
  /** Milliseconds since the epoch. */
  now(): number;
  ids: Ids;
  /** Makes renewed credentials durable at once, when further calls follow before they are returned. */
  keep?(issued: IssuedCredentials): void;
}

export interface IssuedCredentials {
  credentials: StoredCredentials;
  /** Values to be merged into the connection's configuration. */
  config?: Record<string, unknown>;
}

/**
 * Makes credentials from what a person entered, or again from what is stored: `given` holds the entered fields, or the
 * stored credentials when they are renewed. Throws HomeportError when the provider refuses.
 */
export type IssueCredentials = (context: TokenContext, given: Record<string, unknown>) => Promise<IssuedCredentials>;
