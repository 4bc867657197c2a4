import { HomeportError } from '../../../lib/homeport-error.ts';
import { authenticateClient, type TokenCall, toTokenRequest } from '../kinds/oauth2-token-call.ts';
import { providerText } from '../kinds/provider-refusal.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { ProviderDifference, RefreshFacts, RenewedParts } from './provider-difference.ts';

interface SlackAnswer {
  ok?: boolean;
  expires_in?: number;
  authed_user?: { refresh_token?: string; expires_in?: number; [member: string]: unknown };
}

/** A refusal is a 200 with `ok: false`; bot and user token expire apart, the connection with the earlier one. */
function readAnswer(answer: unknown): unknown {
  const { ok, expires_in: botSeconds, authed_user: user } = (answer ?? {}) as SlackAnswer;
  if (ok === false) {
    throw new HomeportError('token_exchange_failed', `Slack gave no tokens: ${providerText(answer) || 'an error'}`);
  }
  const lifetimes = [botSeconds, user?.expires_in].filter((seconds) => seconds !== undefined);
  return lifetimes.length === 0 ? answer : { ...(answer as object), expires_in: Math.min(...lifetimes) };
}

/** The user's token has a refresh token of its own; that it cannot be renewed does not spoil the bot's. */
async function refreshUserToken(renewed: StoredCredentials, facts: RefreshFacts): Promise<RenewedParts> {
  const storedUser = (facts.stored.raw as SlackAnswer | undefined)?.authed_user;
  const user = storedUser?.refresh_token;
  if (!storedUser || user === undefined || user === facts.stored['refresh_token']) return { credentials: renewed };
  const withUser = (authedUser: object): RenewedParts => ({
    credentials: { ...renewed, raw: { ...renewed.raw, authed_user: authedUser } },
  });
  const answer = await facts.context.send(toTokenRequest(userCall(user, facts)));
  const { ok, ...tokens } = (answer.json ?? {}) as SlackAnswer;
  return withUser(ok === false || answer.status >= 300 ? storedUser : { ...storedUser, ...tokens });
}

function userCall(refreshToken: string, { context, client }: RefreshFacts): TokenCall {
  const params = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const url = String(context.entry.token_url);
  return authenticateClient(
    { method: 'POST', url, query: {}, headers: {}, params, format: 'form' },
    context.entry,
    client,
  );
}

export const SLACK: Record<string, ProviderDifference> = {
  slack: { read: readAnswer, afterRefresh: refreshUserToken },
};
