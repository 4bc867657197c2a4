import type { MetadataOf, MetadataSchema } from './schemas.ts';
import type { Untyped } from './untyped.ts';

/** The person or company to whom a connection belongs, as named by the calling application. */
export interface EndUser {
  id: string;
  display_name: string | null;
  email: string | null;
  tags: Record<string, string> | null;
  organization: { id: string; display_name: string | null } | null;
}

/** OAuth 2 tokens. `refresh_token` is present only on request; `expires_at` is an ISO time. */
export interface OAuth2Credentials {
  type: 'OAUTH2';
  access_token: string;
  refresh_token?: string;
  expires_at?: string;
  raw: Untyped;
  config_override?: { client_id?: string; client_secret?: string };
}

export interface OAuth1Credentials {
  type: 'OAUTH1';
  oauth_token: string;
  oauth_token_secret: string;
  raw: Untyped;
}

export interface OAuth2ClientCredentials {
  type: 'OAUTH2_CC';
  token: string;
  client_id: string;
  client_secret: string;
  expires_at?: string;
  raw: Untyped;
}

export interface BasicCredentials {
  type: 'BASIC';
  username: string;
  password: string;
}

export interface ApiKeyCredentials {
  type: 'API_KEY';
  apiKey: string;
}

/** Token of an app's installation. */
export interface AppCredentials {
  type: 'APP';
  access_token: string;
  expires_at?: string;
  jwtToken?: string;
  raw: Untyped;
}

/** Credentials of modes whose fields are defined by the provider's catalogue entry. */
export interface ProviderCredentials {
  type: 'TBA' | 'CUSTOM' | 'JWT' | 'SIGNATURE' | 'TWO_STEP' | 'BILL' | 'AWS_SIGV4';
  [field: string]: Untyped;
}

/** Credentials by `type`. A connection without authorization has an empty object without `type`. */
export type ConnectionCredentials =
  | OAuth2Credentials
  | OAuth1Credentials
  | OAuth2ClientCredentials
  | BasicCredentials
  | ApiKeyCredentials
  | AppCredentials
  | ProviderCredentials
  | { type?: never };

/** A connection as the HTTP API returns it. Times are ISO strings. */
export interface Connection<TMetadata extends MetadataSchema = never> {
  id: number;
  connection_id: string;
  provider_config_key: string;
  provider: string;
  /** Active errors; empty for a healthy connection. */
  errors: Array<{ type: 'auth' | 'sync'; log_id: string }>;
  end_user: EndUser | null;
  tags: Record<string, string>;
  metadata: MetadataOf<TMetadata>;
  /** Values of the connection that the provider needs, for example `subdomain`. */
  connection_config: Untyped;
  webhook_url_override: string | null;
  created_at: string;
  updated_at: string;
  last_fetched_at: string | null;
  credentials: ConnectionCredentials;
}
