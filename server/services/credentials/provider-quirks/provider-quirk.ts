import type { OAuthClient, TokenCall } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials, TokenAnswer, TokenContext } from '../token-context.ts';

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

/** What stands around an answer. */
export interface AnswerFacts {
  connectionConfig: Record<string, unknown>;
  /** In an answer to a refresh. */
  stored: StoredCredentials | undefined;
}

/** What decides whether more than the access token is due. */
export interface DueFacts {
  connectionConfig: Record<string, unknown>;
  nowMs: number;
  bufferMs: number;
}

/** What is known when the provider is asked whether a token ends. */
export interface EndingFacts {
  context: TokenContext;
  client: OAuthClient;
}

type Answer = Record<string, unknown>;

/**
 * Where one provider departs from OAuth 2 in a way that no key of the catalogue can say (auth-and-connect.md 3.5,
 * providers.md 8). Everything that is left out follows the common path.
 */
export interface ProviderQuirk {
  /** The exchange as this provider wants it; the common call is given. */
  exchange?(call: TokenCall, facts: ExchangeFacts): TokenCall | Promise<TokenCall>;
  /** The refresh as this provider wants it. */
  refresh?(call: TokenCall, facts: RefreshFacts): TokenCall | Promise<TokenCall>;
  /** The body of an answer that is no JSON. */
  parse?(answer: TokenAnswer): unknown;
  /** Whether an answer with a status of success is a refusal. */
  refuses?(answer: Answer): boolean;
  /** The answer under the names that others use. */
  read?(answer: Answer, facts: AnswerFacts): unknown;
  /** Further calls that the tokens of an exchange need before they can be used. */
  afterExchange?(tokens: StoredCredentials, facts: ExchangeFacts): Promise<IssuedCredentials>;
  /** What else is renewed with the tokens, which are durable by then: what fails here may throw. */
  afterRefresh?(tokens: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials>;
  /** The access token, or nothing stored at all, stands in for a refresh token. */
  needsNoRefreshToken?: true;
  /** Never renewed by its expiry, only when a caller forces it. */
  onlyWhenForced?: true;
  /** Whether something beside the access token is due, such as a second token in the configuration. */
  isDue?(facts: DueFacts): boolean;
  /** Asks the provider when the token ends, in milliseconds since the epoch; 0 when its answer says no end clearly. */
  findEnd?(stored: StoredCredentials, facts: EndingFacts): Promise<number>;
}
