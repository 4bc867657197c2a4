import type { Connection, ConnectionCredentials } from './function-connection.ts';
import type { FunctionIntegration } from './function-integration.ts';
import type { HttpResponse } from './provider-response.ts';
import type { MetadataOf, MetadataSchema } from './schemas.ts';
import type { UntypedObject } from './untyped.ts';

/** Options of `getConnection`; any of them set to true bypasses the run's cache. */
export interface GetConnectionOptions {
  /** Include the refresh token in the credentials. */
  refreshToken?: boolean;
  /** Refresh the token even if it has not expired. */
  forceRefresh?: boolean;
  /** GitHub apps: refresh the app's own token too. */
  refreshGithubAppJwtToken?: boolean;
}

/** The OAuth 1 form of `getToken`. */
export interface OAuth1Token {
  oAuthToken: string;
  oAuthTokenSecret: string;
}

/** The function's connection, its metadata and its integration. */
export interface ConnectionMethods<TMetadata extends MetadataSchema = never> {
  /**
   * The connection with its credentials; an expired token is refreshed first. Cached for 60 s per connection
   * within the run; writing metadata and a 401 of the provider clear the cache.
   */
  getConnection(
    providerConfigKey?: string,
    connectionId?: string,
    options?: GetConnectionOptions,
  ): Promise<Connection<TMetadata>>;
  /** Metadata of the connection; up to 60 s older than changes made outside the run. */
  getMetadata<T = MetadataOf<TMetadata>>(): Promise<T>;
  /** Replaces the whole metadata. */
  setMetadata(metadata: UntypedObject): Promise<HttpResponse>;
  /** Adds or replaces the given top-level keys. */
  updateMetadata(metadata: UntypedObject): Promise<HttpResponse>;
  /** OAuth 2: the access token; OAuth 1: the pair; other kinds: the credentials. */
  getToken(): Promise<string | OAuth1Token | ConnectionCredentials>;
  /** The integration; cached for 10 minutes per set of includes. */
  getIntegration(options?: { include?: Array<'credentials' | 'webhook'> }): Promise<FunctionIntegration>;
  /** Address for the provider's webhooks; null when the provider sends none. */
  getWebhookURL(): Promise<string | null | undefined>;
  /** Variables of the environment's settings; null when there are none. */
  getEnvironmentVariables(): Promise<Array<{ name: string; value: string }> | null>;
  /** @deprecated Use `setMetadata`. */
  setFieldMapping(fieldMapping: Record<string, string>): Promise<HttpResponse>;
  /** @deprecated Use `getMetadata`. */
  getFieldMapping(): Promise<Record<string, string>>;
  /** @deprecated Throws outside a sync run. */
  getFlowAttributes<T = UntypedObject>(): T | null;
}
