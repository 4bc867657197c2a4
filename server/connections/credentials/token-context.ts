import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { IntegrationAppCredentials } from '../../integrations/integration.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { StoredCredentials } from './stored-credentials.ts';

/** One request to a provider's endpoint that issues or renews tokens. */
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
  /** True for a check whether something exists: then no status is logged as a failure. */
  isProbe?: boolean;
}

export interface TokenResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON, or a form-encoded one as an object of texts; undefined for others. */
  json: unknown;
}

/** Dependencies and facts with which an auth mode issues or renews tokens. */
export interface TokenContext {
  entry: ProviderEntry;
  /** The developer's app at the provider. */
  app: IntegrationAppCredentials;
  /** Values of the entry's `integration_config`. */
  custom: Record<string, string>;
  connectionConfig: Record<string, unknown>;
  /** The credentials to renew; where the provider repeats parts of them, they are removed from error messages. */
  stored?: StoredCredentials;
  /**
   * Resolves for any status and does not follow redirects; a request without a response throws `provider_unreachable`.
   * The sender keeps secrets out of the log.
   */
  send(request: TokenRequest): Promise<TokenResponse>;
  /** Milliseconds since the epoch. */
  now(): number;
  ids: Ids;
  /** Stores renewed credentials at once, when further requests follow before they are returned. */
  keep?(issued: IssuedCredentials): void;
}

export interface IssuedCredentials {
  credentials: StoredCredentials;
  /** Values to merge into the connection's configuration. */
  config?: Record<string, unknown>;
  /**
   * When the hub began to ask for them, by the clock of that time: the computer may sleep, or its clock be set, before
   * they are stored.
   */
  askedAt?: number;
}

/**
 * Issues credentials from entered values, or again from stored ones: `given` holds the entered fields, or the stored
 * credentials for a renewal. Throws HomeportError when the provider refuses.
 */
export type IssueCredentials = (context: TokenContext, given: Record<string, unknown>) => Promise<IssuedCredentials>;
