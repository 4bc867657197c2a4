import type { ParamTemplate } from '../../../integrations/catalog/proxy-schema.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { quirkOf } from '../provider-quirks/provider-quirks.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials, TokenContext } from '../token-context.ts';
import { fillText, paramScope } from './fill-params.ts';
import {
  authenticateClient,
  fillAddress,
  type OAuthClient,
  requestTokens,
  responseMetadata,
  type TokenCall,
  tokenAddress,
} from './token-endpoint.ts';

export interface CodeExchange {
  client: OAuthClient;
  code: string;
  /** The same text as in the authorization address. */
  redirectUri: string;
  /** Absent when the entry disables PKCE. */
  codeVerifier?: string | undefined;
}

/** Exchanges an authorization code for tokens (auth-and-connect.md 3.5). */
export async function exchangeCode(context: TokenContext, exchange: CodeExchange): Promise<IssuedCredentials> {
  const { entry } = context;
  const quirk = quirkOf(entry.name);
  const facts = { context, client: exchange.client, code: exchange.code, redirectUri: exchange.redirectUri };
  const common = authenticateClient(codeCall(context, exchange), entry, exchange.client);
  const call = (await quirk.exchange?.(common, facts)) ?? common;
  const tokens = await requestTokens({ context, call, code: 'token_exchange_failed', quirk });
  const { credentials, config } = (await quirk.afterExchange?.(tokens, facts)) ?? { credentials: tokens };
  return { credentials, config: { ...responseMetadata(entry, credentials.raw), ...config } };
}

/**
 * Renews the tokens of an OAuth 2 connection (auth-and-connect.md 4.4). The refresh token is kept when the response
 * contains none. The configuration does not change.
 */
export async function refreshTokens(
  context: TokenContext,
  client: OAuthClient,
  stored: StoredCredentials,
): Promise<IssuedCredentials> {
  const quirk = quirkOf(context.entry.name);
  const facts = { context, client, stored };
  const common = authenticateClient(refreshCall(context, stored), context.entry, client);
  const call = (await quirk.refresh?.(common, facts)) ?? common;
  const request = { context, call, code: 'refresh_token_external_error' as const, quirk };
  const renewed = keepWhatStays(await requestTokens(request, stored), stored);
  context.keep?.({ credentials: renewed });
  return (await quirk.afterRefresh?.(renewed, facts)) ?? { credentials: renewed };
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

/** `refresh_params` are complete; without them the parameters of the exchange are added to a refresh. */
function refreshCall(context: TokenContext, stored: StoredCredentials): TokenCall {
  const { refresh_params: own, token_params: { grant_type: _exchange, ...shared } = {} } = context.entry;
  return {
    ...postTo(refreshUrlOf(context), context),
    params: {
      grant_type: 'refresh_token',
      refresh_token: text(stored['refresh_token']),
      ...requireParams(context, own ?? shared),
    },
  };
}

function postTo(url: string, { entry }: TokenContext): Omit<TokenCall, 'params'> {
  return { method: 'POST', url, query: {}, headers: {}, format: entry.body_format === 'json' ? 'json' : 'form' };
}

/** Adds what the response to a refresh does not repeat: the current refresh token, and the connection's own client. */
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

/** Parameters of the catalogue, filled with the connection's values. Throws when a value is missing. */
export function requireParams(
  context: TokenContext,
  params: Record<string, ParamTemplate> | undefined,
): Record<string, string> {
  const scope = paramScope(context, {});
  const filled = Object.entries(params ?? {}).map(([name, source]): [string, string] => {
    const value = fillText(typeof source === 'string' ? source : JSON.stringify(source), scope);
    if (value !== undefined) return [name, value];
    throw new HomeportError(
      'missing_connection_config',
      `The parameter ${name} needs a value that the connection does not have. Enter it and connect again.`,
    );
  });
  return Object.fromEntries(filled);
}
