import { HomeportError } from '../../../lib/homeport-error.ts';
import { type TokenCall, toTokenRequest } from '../kinds/oauth2-token-call.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import { readExpiry } from '../token-expiry.ts';
import type { ProviderDifference, RefreshFacts, RenewedParts } from './provider-difference.ts';

const LOGIN = 'https://login.microsoftonline.com';

/** A second token kept in the connection's configuration. */
interface SecondToken {
  access_token?: string;
  refresh_token?: string;
  /** Milliseconds since the epoch. */
  expires_at?: number;
}

function isSecondDue(key: string): NonNullable<ProviderDifference['isDue']> {
  return ({ connectionConfig, nowMs, bufferMs }) => {
    const second = connectionConfig[key] as SecondToken | undefined;
    return second?.expires_at !== undefined && second.expires_at - nowMs < bufferMs;
  };
}

/** SharePoint's own token is renewed with the connection's, with its own refresh token. */
async function refreshSharePoint(renewed: StoredCredentials, facts: RefreshFacts): Promise<RenewedParts> {
  const { connectionConfig } = facts.context;
  const second = connectionConfig['sharepointAccessToken'] as SecondToken | undefined;
  const tenant = connectionConfig['tenantId'];
  if (!second?.refresh_token || typeof tenant !== 'string') return { credentials: renewed };
  const token = await askSecond(facts, tenant, {
    grant_type: 'refresh_token',
    refresh_token: second.refresh_token,
  });
  return { credentials: renewed, config: { sharepointAccessToken: { ...second, ...token } } };
}

/** Bots speak to the Bot Framework with a token of the app itself. */
async function renewBotToken(renewed: StoredCredentials, facts: RefreshFacts): Promise<RenewedParts> {
  const tenant = facts.context.connectionConfig['botHostTenantId'];
  if (typeof tenant !== 'string' || tenant === '') return { credentials: renewed };
  const token = await askSecond(facts, tenant, {
    grant_type: 'client_credentials',
    scope: 'https://api.botframework.com/.default',
  });
  return { credentials: renewed, config: { botFrameworkAccessToken: token } };
}

async function askSecond(
  { context, client }: RefreshFacts,
  tenant: string,
  grant: Record<string, string>,
): Promise<SecondToken> {
  const call: TokenCall = {
    method: 'POST',
    url: `${LOGIN}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    query: {},
    headers: {},
    params: { ...grant, client_id: client.id, client_secret: client.secret ?? '' },
    format: 'form',
  };
  const answer = await context.send(toTokenRequest(call));
  const { access_token: accessToken, refresh_token: refreshToken } = (answer.json ?? {}) as SecondToken;
  if (answer.status >= 300 || typeof accessToken !== 'string') {
    throw new HomeportError('refresh_token_external_error', 'Microsoft gave no second token for this connection.');
  }
  const expiresAt = readExpiry(answer.json as object, context.now());
  return {
    access_token: accessToken,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

/** No code is exchanged: the consent of an administrator lets the app ask for itself. */
const asApp = (call: TokenCall, facts: RefreshFacts | { context: RefreshFacts['context'] }): TokenCall => ({
  ...call,
  params: {
    grant_type: 'client_credentials',
    client_id: call.params['client_id'] ?? '',
    client_secret: call.params['client_secret'] ?? '',
    scope: (facts.context.app.scopes ?? '').split(',').join(' '),
  },
});

const sharePoint: ProviderDifference = {
  afterRefresh: refreshSharePoint,
  isDue: isSecondDue('sharepointAccessToken'),
};

export const MICROSOFT: Record<string, ProviderDifference> = {
  'one-drive': sharePoint,
  'sharepoint-online': sharePoint,
  'microsoft-teams-bot': { afterRefresh: renewBotToken, isDue: isSecondDue('botFrameworkAccessToken') },
  'microsoft-admin': { exchange: asApp, refresh: asApp, needsNoRefreshToken: true },
};
