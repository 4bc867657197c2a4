import { HomeportError } from '../../../lib/homeport-error.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { Minted, TokenContext } from '../token-context.ts';
import { mintGithubApp } from './mint-github-app.ts';
import type { OAuthClient } from './oauth2-token-call.ts';
import { refreshTokens } from './oauth2-tokens.ts';

/**
 * CUSTOM: the tokens of the installation and of its user together (auth-and-connect.md 4.4). That the user's cannot
 * be renewed does not spoil the installation's, nor the other way round: GitHub forgets a used refresh token.
 */
export async function renewGithubApp(
  context: TokenContext,
  clientFor: (user: StoredCredentials) => OAuthClient,
  stored: StoredCredentials,
): Promise<Minted> {
  const [app, user] = await Promise.allSettled([
    mintGithubApp(context, stored),
    renewUser(context, clientFor, stored),
  ] as const);
  if (user.status === 'rejected') throw user.reason;
  if (app.status === 'rejected') throw app.reason;
  const { credentials, config } = app.value;
  return { credentials, config: { jwtToken: config?.['jwtToken'], ...user.value } };
}

/** The part of the configuration to change; nothing when the user's tokens do not expire or are refused. */
async function renewUser(
  context: TokenContext,
  clientFor: (user: StoredCredentials) => OAuthClient,
  stored: StoredCredentials,
): Promise<Record<string, unknown>> {
  const user = context.connectionConfig['userCredentials'] as StoredCredentials | undefined;
  if (!user?.['refresh_token']) return {};
  const toConfig = (credentials: StoredCredentials) => ({ userCredentials: credentials });
  const own: TokenContext = {
    ...context,
    keep: ({ credentials }) => context.keep?.({ credentials: stored, config: toConfig(credentials) }),
  };
  try {
    const { credentials } = await refreshTokens(own, clientFor(user), user);
    return toConfig(credentials);
  } catch (error) {
    if (error instanceof HomeportError) return {}; // Noted in the operation's log by the sender.
    throw error;
  }
}
