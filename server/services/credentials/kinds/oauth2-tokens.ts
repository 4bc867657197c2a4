import { fillAuthUrl } from '../../../catalog/template/auth-url.ts';
import { parseTemplate } from '../../../catalog/template/parse-template.ts';
import { resolveTemplate, valueAt } from '../../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ProviderDifference } from '../differences/provider-difference.ts';
import { differenceOf } from '../differences/provider-differences.ts';
import { refusalText } from '../provider-refusal.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { Minted, TokenAnswer, TokenContext } from '../token-context.ts';
import { authenticateClient, type OAuthClient, type TokenCall, toTokenRequest } from './oauth2-token-call.ts';
import { readResponseMetadata, readTokenResponse } from './oauth2-token-response.ts';

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
  const answer = await send(context, (await difference.exchange?.(common, facts)) ?? common, 'token_exchange_failed');
  const first = readTokens(context, difference, answer.json);
  if (!difference.exchangeAgain) return { credentials: first, config: readResponseMetadata(entry, answer.json) };
  const again = await send(context, difference.exchangeAgain(first, facts), 'token_exchange_failed');
  return {
    credentials: readTokens(context, difference, again.json),
    config: readResponseMetadata(entry, again.json),
  };
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
  const answer = await send(
    context,
    (await difference.refresh?.(common, facts)) ?? common,
    'refresh_token_external_error',
  );
  const renewed = keepWhatStays(readTokens(context, difference, answer.json), stored);
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
      ...fillParams(context, context.entry.token_params),
      ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    },
  };
}

/** `refresh_params` say everything themselves; the parameters of the exchange only add to a refresh. */
function refreshCall(context: TokenContext, stored: StoredCredentials): TokenCall {
  const { refresh_params: own, token_params: shared } = context.entry;
  const { grant_type: _exchange, ...added } = fillParams(context, shared);
  return {
    ...postTo(refreshUrlOf(context), context),
    params: {
      grant_type: 'refresh_token',
      refresh_token: text(stored['refresh_token']),
      ...(own ? fillParams(context, own) : added),
    },
  };
}

function postTo(url: string, { entry }: TokenContext): Omit<TokenCall, 'params'> {
  return { method: 'POST', url, query: {}, headers: {}, format: entry.body_format === 'json' ? 'json' : 'form' };
}

/** The answer of a token endpoint, or the refusal as an error that says what the provider said. */
async function send(
  context: TokenContext,
  call: TokenCall,
  code: 'token_exchange_failed' | 'refresh_token_external_error',
): Promise<TokenAnswer> {
  const answer = await context.send(toTokenRequest(call));
  if (answer.status < 300 && answer.json !== undefined) return answer;
  const said = refusalText(answer.json);
  const reason = answer.status < 300 ? 'it did not answer with JSON' : (said ?? `status ${answer.status}`);
  throw new HomeportError(code, `The provider gave no tokens: ${reason}`, {
    payload: { status: answer.status, ...(said === undefined ? {} : { provider_error: said }) },
  });
}

function readTokens(context: TokenContext, difference: ProviderDifference, json: unknown): StoredCredentials {
  const now = context.now();
  const tokens = readTokenResponse(context.entry, difference.read?.(json, now) ?? json, now);
  return { ...tokens, raw: json as Record<string, unknown> };
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

export function tokenUrlOf(context: TokenContext): string {
  const { token_url: tokenUrl } = context.entry;
  const address = typeof tokenUrl === 'object' ? tokenUrl['OAUTH2'] : tokenUrl;
  if (address === undefined) {
    throw new HomeportError('missing_token_url', `The provider ${context.entry.name} names no token_url.`);
  }
  return fill(address, context);
}

function refreshUrlOf(context: TokenContext): string {
  const { refresh_url: refreshUrl } = context.entry;
  return refreshUrl === undefined ? tokenUrlOf(context) : fill(refreshUrl, context);
}

function fill(address: string, { entry, connectionConfig }: TokenContext): string {
  return fillAuthUrl(address, { connectionConfig, fields: entry.connection_config });
}

/** Parameters of the catalogue with the connection's values in place. */
export function fillParams(
  context: Pick<TokenContext, 'connectionConfig' | 'now' | 'ids'>,
  params: Record<string, string> | undefined,
): Record<string, string> {
  const values = { connectionConfig: context.connectionConfig };
  const lookup = (path: string): unknown => valueAt(values, path) || undefined;
  const filled = Object.entries(params ?? {}).map(([name, source]): [string, string] => {
    const scope = { lookup, now: context.now(), random: context.ids.uuid() };
    const { text: value, missing } = resolveTemplate(parseTemplate(source), scope);
    if (missing.length === 0) return [name, value];
    throw new HomeportError(
      'missing_connection_config',
      `The parameter ${name} needs a value that the connection does not have: ${missing.join(', ')}.`,
    );
  });
  return Object.fromEntries(filled);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
