import type { OAuthClient, TokenCall } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials, TokenContext, TokenResponse } from '../token-context.ts';

/** Facts for a code exchange. */
export interface ExchangeFacts {
  context: TokenContext;
  client: OAuthClient;
  code: string;
  redirectUri: string;
}

/** Facts for a refresh. */
export interface RefreshFacts {
  context: TokenContext;
  client: OAuthClient;
  stored: StoredCredentials;
}

/** Facts for reading a response. */
export interface ResponseFacts {
  connectionConfig: Record<string, unknown>;
  /** Set for a response to a refresh. */
  stored: StoredCredentials | undefined;
}

/** Facts that decide whether more than the access token is due. */
export interface DueFacts {
  connectionConfig: Record<string, unknown>;
  nowMs: number;
  bufferMs: number;
}

/** Facts for asking the provider when a token ends. */
export interface EndingFacts {
  context: TokenContext;
  client: OAuthClient;
}

type TokenBody = Record<string, unknown>;

/**
 * How one provider differs from OAuth 2 in ways that the catalogue cannot express (auth-and-connect.md 3.5,
 * providers.md 8). Omitted members mean the standard behaviour.
 */
export interface ProviderQuirk {
  /** Changes the call of the exchange for this provider. */
  exchange?(call: TokenCall, facts: ExchangeFacts): TokenCall | Promise<TokenCall>;
  /** Changes the call of the refresh for this provider. */
  refresh?(call: TokenCall, facts: RefreshFacts): TokenCall | Promise<TokenCall>;
  /** Parses a response that is not JSON. */
  parse?(response: TokenResponse): unknown;
  /** Whether a response with a successful status is a refusal. */
  refuses?(response: TokenBody): boolean;
  /** Renames members of the response to the standard names. */
  read?(response: TokenBody, facts: ResponseFacts): unknown;
  /** Further calls before the tokens of an exchange can be used. */
  afterExchange?(tokens: StoredCredentials, facts: ExchangeFacts): Promise<IssuedCredentials>;
  /** Renews further tokens that belong to these. It may throw, because these are already stored. */
  afterRefresh?(tokens: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials>;
  /** The access token replaces the refresh token, or no stored token is needed. */
  needsNoRefreshToken?: true;
  /** Not renewed when it expires, only when a caller forces it. */
  onlyWhenForced?: true;
  /** Whether something besides the access token is due, such as a second token in the configuration. */
  isDue?(facts: DueFacts): boolean;
  /**
   * Asks the provider when the token ends. Resolves to milliseconds since the epoch, or 0 when the response is not clear.
   */
  findEnd?(stored: StoredCredentials, facts: EndingFacts): Promise<number>;
}
