import { HomeportError } from '../../../lib/homeport-error.ts';
import { differenceOf } from '../differences/provider-differences.ts';
import { responseMetadata } from '../response-metadata.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { Minted, TokenAnswer, TokenContext } from '../token-context.ts';
import { authenticateClient, type OAuthClient, type TokenCall, toTokenRequest } from './oauth2-token-call.ts';
import { readTokenResponse } from './oauth2-token-response.ts';
import { providerRefusal, providerText } from './provider-refusal.ts';
import { requireParams } from './required-params.ts';
import { fillAddress, tokenAddress } from './token-address.ts';

export interface CodeExchange {
  client: OAuthClient;
  code: string;
  /** The same text as in the authorization address. */
  redirectUri: string;
  /** Absent where the entry disables PKCE. */
  codeVerifier?: string | undefined;
}

/** Exchanges an authorization code for tokens (auth-and-connect.md 3.5). */
export async function exchangeCode(context: TokenContext, exchange: CodeExchange): Promise<Minted> {
  const { entry } = context;
  const difference = differenceOf(entry.name);
  const facts = { context, client: exchange.client, code: exchange.code, redirectUri: exchange.redirectUri };
  const common = authenticateClient(codeCall(context, exchange), entry, exchange.client);
  const call = (await difference.exchange?.(common, facts)) ?? common;
  const first = await askForTokens(context, call, 'token_exchange_failed');
  const last = difference.exchangeAgain
    ? await askForTokens(context, difference.exchangeAgain(first.tokens, facts), 'token_exchange_failed')
    : first;
  return { credentials: last.tokens, config: responseMetadata(entry, last.answer.json) };
}

/**
 * Renews the tokens of an OAuth 2 connection (auth-and-connect.md 4.4). A refresh token that the answer does not
 * name stays in use; the configuration is left alone.
 */
export async function refreshTokens(
  context: TokenContext,
  client: OAuthClient,
  stored: StoredCredentials,
): Promise<Minted> {
  const difference = differenceOf(context.entry.name);
  const facts = { context, client, stored };
  const common = authenticateClient(refreshCall(context, stored), context.entry, client);
  const call = (await difference.refresh?.(common, facts)) ?? common;
  const { tokens } = await askForTokens(context, call, 'refresh_token_external_error');
  const renewed = keepWhatStays(tokens, stored);
  context.keep?.({ credentials: renewed });
  return (await difference.afterRefresh?.(renewed, facts)) ?? { credentials: renewed };
}

function codeCall(context: TokenContext, { code, redirectUri, codeVerifier }: CodeExchange): TokenCall {
  return {
    ...postTo(tokenUrlOf(context), context),
    params: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      ...requireParams(context, context.entry.token_params),
      ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    },
  };
}

/** `refresh_params` say everything themselves; the parameters of the exchange only add to a refresh. */
function refreshCall(context: TokenContext, stored: StoredCredentials): TokenCall {
  const { refresh_params: own, token_params: shared = {} } = context.entry;
  const { grant_type: _exchange, ...added } = shared;
  return {
    ...postTo(refreshUrlOf(context), context),
    params: {
      grant_type: 'refresh_token',
      refresh_token: text(stored['refresh_token']),
      ...requireParams(context, own ?? added),
    },
  };
}

function postTo(url: string, { entry }: TokenContext): Omit<TokenCall, 'params'> {
  return { method: 'POST', url, query: {}, headers: {}, format: entry.body_format === 'json' ? 'json' : 'form' };
}

type FailureCode = 'token_exchange_failed' | 'refresh_token_external_error';

/** The tokens that an endpoint gives, with its whole answer; a refusal throws and says what the provider said. */
async function askForTokens(
  context: TokenContext,
  call: TokenCall,
  code: FailureCode,
): Promise<{ tokens: StoredCredentials; answer: TokenAnswer }> {
  const answer = await send(context, call, code);
  const now = context.now();
  const read = differenceOf(context.entry.name).read?.(answer.json, now) ?? answer.json;
  const tokens = readTokenResponse(context.entry, read, now);
  if (tokens) return { tokens: { ...tokens, raw: answer.json as Record<string, unknown> }, answer };
  throw providerRefusal({
    code: 'unable_to_parse_token_response',
    what: 'The provider answered without an access token',
    answer,
    context,
    sent: secretsOf(call),
  });
}

/** Everything that a provider could repeat; the client in the header as it stands there. */
function secretsOf({ params, headers }: TokenCall): Record<string, string> {
  return { ...params, header: headers['authorization']?.replace(/^\w+ /, '') ?? '' };
}

async function send(context: TokenContext, call: TokenCall, code: FailureCode): Promise<TokenAnswer> {
  const answer = await context.send(toTokenRequest(call));
  if (answer.status < 300 && answer.json !== undefined) return answer;
  if (answer.status < 300) throw new HomeportError(code, 'The provider gave no tokens: it did not answer with JSON.');
  const refusal = providerRefusal({
    code,
    what: 'The provider gave no tokens',
    answer,
    context,
    sent: secretsOf(call),
  });
  const said = providerText(answer.json);
  throw new HomeportError(code, refusal.message, {
    payload: { status: answer.status, ...(said === '' ? {} : { provider_error: refusal.message }) },
  });
}

/** What a refresh does not answer anew: the refresh token in use, and the connection's own client. */
function keepWhatStays(renewed: StoredCredentials, stored: StoredCredentials): StoredCredentials {
  const { refresh_token: refreshToken, config_override: override } = stored;
  return {
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...renewed,
    ...(override === undefined ? {} : { config_override: override }),
  };
}

function tokenUrlOf(context: TokenContext): string {
  return tokenAddress(context, 'OAUTH2', {});
}

function refreshUrlOf(context: TokenContext): string {
  const { refresh_url: refreshUrl } = context.entry;
  return refreshUrl === undefined ? tokenUrlOf(context) : fillAddress(context, refreshUrl, {});
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
