import type { OAuthClient, TokenCall } from '../kinds/oauth2-token-call.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { TokenContext } from '../token-context.ts';

/** What a code exchange knows. */
export interface ExchangeFacts {
  context: TokenContext;
  client: OAuthClient;
  code: string;
  redirectUri: string;
}

/** What a refresh knows. */
export interface RefreshFacts {
  context: TokenContext;
  client: OAuthClient;
  stored: StoredCredentials;
}

/**
 * Where one provider departs from OAuth 2 in a way that no key of the catalogue can say (auth-and-connect.md 3.5,
 * providers.md 8). Everything that is left out follows the common path.
 */
export interface ProviderDifference {
  /** The exchange as this provider wants it; the common call is given. */
  exchange?(call: TokenCall, facts: ExchangeFacts): TokenCall | Promise<TokenCall>;
  /** The refresh as this provider wants it. */
  refresh?(call: TokenCall, facts: RefreshFacts): TokenCall | Promise<TokenCall>;
  /** The answer under the names that others use; throws HomeportError when it is a refusal. */
  read?(answer: unknown, nowMs: number): unknown;
  /** A second call that makes the tokens to keep out of those of the exchange. */
  exchangeAgain?(tokens: StoredCredentials, facts: ExchangeFacts): TokenCall;
  /** What else is renewed with the tokens; its failures are its own business. */
  afterRefresh?(tokens: StoredCredentials, facts: RefreshFacts): Promise<RenewedParts>;
  /** The access token, or nothing stored at all, stands in for a refresh token. */
  needsNoRefreshToken?: true;
  /** Never renewed by its expiry, only when a caller forces it. */
  onlyWhenForced?: true;
  /** Whether something beside the access token is due, such as a second token in the configuration. */
  isDue?(facts: { connectionConfig: Record<string, unknown>; nowMs: number; bufferMs: number }): boolean;
  /** Asks the provider whether the token ends, where it does not say when. */
  isEnding?(
    stored: StoredCredentials,
    facts: { context: TokenContext; client: OAuthClient; bufferMs: number },
  ): Promise<boolean>;
}

export interface RenewedParts {
  credentials: StoredCredentials;
  /** Merged into the connection's configuration. */
  config?: Record<string, unknown>;
}
