import type { Connection, ConnectionCredentials } from './function-connection.ts';
import type { FunctionIntegration } from './function-integration.ts';
import type { HttpResponse } from './provider-response.ts';
import type { MetadataOf, MetadataSchema } from './schemas.ts';
import type { UntypedObject } from './untyped.ts';

/** Options of `getConnection`. Any option that is true bypasses the run's cache. */
export interface GetConnectionOptions {
  /** Include the refresh token in the credentials. */
  refreshToken?: boolean;
  /** Refresh the token even if it has not expired. */
  forceRefresh?: boolean;
  /** GitHub apps only: refresh the app's own token too. */
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
   * Returns the connection with its credentials. An expired token is refreshed first. Cached for 60 s per connection
   * within the run; writing metadata and a 401 of the provider clear the cache.
   */
  getConnection(
    providerConfigKey?: string,
    connectionId?: string,
    options?: GetConnectionOptions,
  ): Promise<Connection<TMetadata>>;
  /** Metadata of the connection. Changes made outside the run may appear up to 60 s late. */
  getMetadata<T = MetadataOf<TMetadata>>(): Promise<T>;
  /** Replaces all metadata. */
  setMetadata(metadata: UntypedObject): Promise<HttpResponse>;
  /** Adds or replaces the given top-level keys. */
  updateMetadata(metadata: UntypedObject): Promise<HttpResponse>;
  /** The access token for OAuth 2, token and secret for OAuth 1, else the credentials. */
  getToken(): Promise<string | OAuth1Token | ConnectionCredentials>;
  /** The integration. Cached for 10 minutes per set of includes. */
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
