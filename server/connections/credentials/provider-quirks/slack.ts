import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { issueTime } from '../../../platform/lib/issue-time.ts';
import {
  authenticateClient,
  requestTokenResponse,
  type TokenCall,
  tokenAddress,
} from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials } from '../token-context.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';
import type { ProviderQuirk, RefreshFacts } from './provider-quirk.ts';

type TokenBody = Record<string, unknown>;

/** Members of the user's part of a connection; the rest of a response is about the bot and the workspace. */
const USER_MEMBERS = ['access_token', 'refresh_token', 'expires_in', 'scope', 'token_type'];

const refuses = (response: TokenBody): boolean => response['ok'] === false;

/** Bot and user token expire separately; the connection expires with the earlier one. */
function readResponse(response: TokenBody): unknown {
  const lifetimes = [response, userOf(response)].map((part) => part?.['expires_in']).filter(isNumber);
  return lifetimes.length === 0 ? response : { ...response, expires_in: Math.min(...lifetimes) };
}

/**
 * The user's token has its own refresh token. When its renewal fails, the bot's token is kept. The response to a refresh
 * does not name the user again, so the stored user stays in `raw`.
 */
async function refreshUserToken(renewed: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials> {
  const stored = userOf(facts.stored.raw);
  if (!stored) return { credentials: renewed };
  const own = stored['refresh_token'];
  const sentAt = facts.context.now();
  const isSameToken = own === facts.stored['refresh_token'];
  const fresh = isSameToken ? tokensIn(renewed.raw ?? {}) : typeof own === 'string' ? await renewUser(own, facts) : {};
  const user = { ...stored, ...fresh };
  const end = earliest(renewed.expires_at, readExpiry(fresh, issueTime(sentAt, facts.context)));
  return {
    credentials: {
      ...renewed,
      ...(end === undefined ? {} : { expires_at: end }),
      raw: { ...renewed.raw, authed_user: user },
    },
  };
}

async function renewUser(refreshToken: string, { context, client }: RefreshFacts): Promise<TokenBody> {
  const call: TokenCall = {
    method: 'POST',
    url: tokenAddress(context, 'OAUTH2', {}),
    query: {},
    headers: {},
    params: { grant_type: 'refresh_token', refresh_token: refreshToken },
    format: 'form',
  };
  try {
    const authenticated = authenticateClient(call, context.entry, client);
    const code = 'refresh_token_external_error';
    const { json } = await requestTokenResponse({ context, call: authenticated, code, quirk: { refuses } });
    return tokensIn(json);
  } catch (error) {
    if (error instanceof HomeportError) return {}; // The sender has written the error to the operation's log.
    throw error;
  }
}

function tokensIn(response: TokenBody): TokenBody {
  const part = userOf(response)?.['access_token'] === undefined ? response : (userOf(response) ?? {});
  return Object.fromEntries(Object.entries(part).filter(([name]) => USER_MEMBERS.includes(name)));
}

function userOf(response: TokenBody | undefined): TokenBody | undefined {
  const user = response?.['authed_user'];
  return typeof user === 'object' && user !== null ? (user as TokenBody) : undefined;
}

function earliest(end: string | undefined, other: number | undefined): string | undefined {
  if (end === undefined || other === undefined) return end;
  return toIsoTime(Math.min(Date.parse(end), other));
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

export const SLACK: Record<string, ProviderQuirk> = {
  slack: { refuses, read: readResponse, afterRefresh: refreshUserToken },
};
