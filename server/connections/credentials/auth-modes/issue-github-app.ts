import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssueCredentials, IssuedCredentials, TokenContext } from '../token-context.ts';
import { readMoment, toIsoTime } from '../token-expiry.ts';
import { refreshTokens } from './oauth2.ts';
import { readPrivateKey, signJwt } from './sign-jwt.ts';
import {
  type OAuthClient,
  providerRefusal,
  TOKEN_HEADERS,
  tokenAddress,
  tokenObject,
  tokenText,
} from './token-endpoint.ts';

/** The longest lifetime that GitHub accepts. It begins a minute in the past, for clocks that are ahead of GitHub's. */
const LIFETIME_SECONDS = 600;
const CLOCK_DRIFT_SECONDS = 60;

/** APP: a token for one installation of a GitHub app (auth-and-connect.md 3.7). */
export const issueGithubApp: IssueCredentials = async (context, given) => {
  const appId = readAppId(context, given);
  const installationId = tokenText(given['installation_id']) ?? tokenText(context.connectionConfig['installation_id']);
  if (installationId === undefined)
    throw new HomeportError(
      'missing_installation_id',
      'The connection names no installation of the app. Install it again.',
    );
  const jwt = await signAppToken(context, appId);
  const credentialsContext = {
    ...context,
    connectionConfig: { ...context.connectionConfig, installation_id: installationId },
  };
  const response = await context.send({
    method: 'POST',
    url: tokenAddress(credentialsContext, 'APP', {}),
    headers: { ...TOKEN_HEADERS, accept: 'application/vnd.github.v3+json', authorization: `Bearer ${jwt}` },
  });
  const raw = tokenObject(response);
  const token = tokenText(raw?.['token']);
  if (!isSuccessStatus(response.status) || !raw || token === undefined)
    throw providerRefusal({
      code: 'invalid_credentials',
      what: 'GitHub gave no token for the installation',
      response,
      context,
      sent: { jwt },
    });
  const expiresAt = readMoment(raw['expires_at'], context.now());
  return {
    credentials: {
      type: 'APP',
      access_token: token,
      ...(expiresAt === undefined ? {} : { expires_at: toIsoTime(expiresAt) }),
      raw,
      jwtToken: jwt,
    },
    config: { installation_id: installationId, app_id: appId, jwtToken: jwt },
  };
};

/** Renews only the app's own token; the installation's stays. */
export const issueGithubAppJwt: IssueCredentials = async (context, given) => {
  const jwt = await signAppToken(context, readAppId(context, given));
  return { credentials: { ...given, jwtToken: jwt }, config: { jwtToken: jwt } };
};

/** The integration's app; an import may name another one. */
function readAppId({ app, connectionConfig }: TokenContext, given: Record<string, unknown>): string {
  const appId = tokenText(app.appId) ?? tokenText(given['app_id']) ?? tokenText(connectionConfig['app_id']);
  if (appId === undefined)
    throw new HomeportError('missing_app_id', 'The integration has no app id. Enter it in its settings.');
  return appId;
}

function signAppToken({ app, now }: TokenContext, appId: string): Promise<string> {
  const issuedAt = Math.floor(now() / 1_000) - CLOCK_DRIFT_SECONDS;
  return signJwt({
    header: { alg: 'RS256', typ: 'JWT' },
    payload: { iss: appId, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS },
    key: readAppKey(app.privateKey ?? ''),
    code: 'invalid_credentials',
  });
}

/** Stored as base64 of the PEM; the PEM itself is accepted as well. */
function readAppKey(text: string): ReturnType<typeof readPrivateKey> {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString();
  return readPrivateKey(pem);
}

/**
 * CUSTOM: renews the tokens of the installation and of its user together (auth-and-connect.md 4.4). When one of the two
 * fails, the other is kept: GitHub does not accept a used refresh token again.
 */
export async function renewGithubApp(
  context: TokenContext,
  clientFor: (user: StoredCredentials) => OAuthClient,
  stored: StoredCredentials,
): Promise<IssuedCredentials> {
  const [app, user] = await Promise.allSettled([
    issueGithubApp(context, stored),
    renewUser(context, clientFor, stored),
  ] as const);
  if (user.status === 'rejected') throw user.reason;
  if (app.status === 'rejected') throw app.reason;
  const { credentials, config } = app.value;
  return { credentials, config: { jwtToken: config?.['jwtToken'], ...user.value } };
}

/** The part of the configuration to change; empty when the user's tokens do not expire or are refused. */
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
    if (error instanceof HomeportError) return {}; // The sender has written the error to the operation's log.
    throw error;
  }
}
