import { HomeportError } from '../../../lib/homeport-error.ts';
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

type Answer = Record<string, unknown>;

/** Members of the user's part of a connection; the rest of an answer is about the bot and the workspace. */
const USER_MEMBERS = ['access_token', 'refresh_token', 'expires_in', 'scope', 'token_type'];

const refuses = (answer: Answer): boolean => answer['ok'] === false;

/** Bot and user token expire separately; the connection expires with the earlier one. */
function readAnswer(answer: Answer): unknown {
  const lifetimes = [answer, userOf(answer)].map((part) => part?.['expires_in']).filter(isNumber);
  return lifetimes.length === 0 ? answer : { ...answer, expires_in: Math.min(...lifetimes) };
}

/**
 * The user's token has its own refresh token. When its renewal fails, the bot's token is kept. The answer to a refresh
 * does not name the user again, so the stored user stays in `raw`.
 */
async function refreshUserToken(renewed: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials> {
  const stored = userOf(facts.stored.raw);
  if (!stored) return { credentials: renewed };
  const own = stored['refresh_token'];
  const isAlone = own === facts.stored['refresh_token'];
  const fresh = isAlone ? tokensIn(renewed.raw ?? {}) : typeof own === 'string' ? await renewUser(own, facts) : {};
  const user = { ...stored, ...fresh };
  const end = earliest(renewed.expires_at, readExpiry(fresh, facts.context.now()));
  return {
    credentials: {
      ...renewed,
      ...(end === undefined ? {} : { expires_at: end }),
      raw: { ...renewed.raw, authed_user: user },
    },
  };
}

async function renewUser(refreshToken: string, { context, client }: RefreshFacts): Promise<Answer> {
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
    const { json } = await requestTokenResponse({ context, call: authenticated, code, difference: { refuses } });
    return tokensIn(json);
  } catch (error) {
    if (error instanceof HomeportError) return {}; // The sender has written the error to the operation's log.
    throw error;
  }
}

function tokensIn(answer: Answer): Answer {
  const part = userOf(answer)?.['access_token'] === undefined ? answer : (userOf(answer) ?? {});
  return Object.fromEntries(Object.entries(part).filter(([name]) => USER_MEMBERS.includes(name)));
}

function userOf(answer: Answer | undefined): Answer | undefined {
  const user = answer?.['authed_user'];
  return typeof user === 'object' && user !== null ? (user as Answer) : undefined;
}

function earliest(end: string | undefined, other: number | undefined): string | undefined {
  if (end === undefined || other === undefined) return end;
  return toIsoTime(Math.min(Date.parse(end), other));
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

export const SLACK: Record<string, ProviderQuirk> = {
  slack: { refuses, read: readAnswer, afterRefresh: refreshUserToken },
};
