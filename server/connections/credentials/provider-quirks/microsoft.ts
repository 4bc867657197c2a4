import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { requestTokenResponse, type TokenCall } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials } from '../token-context.ts';
import { readExpiry } from '../token-expiry.ts';
import type { DueFacts, ExchangeFacts, ProviderQuirk, RefreshFacts } from './provider-quirk.ts';

const LOGIN = 'https://login.microsoftonline.com';

/** A second token in the connection's configuration, written by the step after connecting. */
interface SecondToken {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
  scope?: string;
  /** Milliseconds since the epoch. */
  expires_at?: number;
}

type Config = Record<string, unknown>;

/** Due only while it can be renewed; otherwise every use would try a renewal. */
function isSecondDue(key: string, tenantKey: string): NonNullable<ProviderQuirk['isDue']> {
  return ({ connectionConfig, nowMs, bufferMs }: DueFacts) => {
    const { expires_at: end } = secondOf(connectionConfig, key);
    return end !== undefined && end - nowMs < bufferMs && textOf(connectionConfig, tenantKey) !== undefined;
  };
}

/** SharePoint's own token is renewed together with the connection's, with its own refresh token if it has one. */
async function refreshSharePoint(renewed: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials> {
  const { connectionConfig } = facts.context;
  const second = secondOf(connectionConfig, 'sharepointAccessToken');
  const tenant = textOf(connectionConfig, 'tenantId');
  if (second.access_token === undefined || tenant === undefined) return { credentials: renewed };
  const token = await requestSecondToken(facts, tenant, {
    grant_type: 'refresh_token',
    refresh_token: second.refresh_token ?? String(renewed['refresh_token']),
    scope: `https://${tenant}.sharepoint.com/Sites.Read.All`,
  });
  return { credentials: renewed, config: { sharepointAccessToken: { ...second, ...token } } };
}

/** Bots call the Bot Framework with a token of the app itself. */
async function renewBotToken(renewed: StoredCredentials, facts: RefreshFacts): Promise<IssuedCredentials> {
  const tenant = textOf(facts.context.connectionConfig, 'botHostTenantId');
  if (tenant === undefined) return { credentials: renewed };
  const token = await requestSecondToken(facts, tenant, {
    grant_type: 'client_credentials',
    scope: 'https://api.botframework.com/.default',
  });
  return { credentials: renewed, config: { botFrameworkAccessToken: token } };
}

async function requestSecondToken(
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
  const sentAt = context.now();
  const { json: response } = await requestTokenResponse({ context, call, code: 'refresh_token_external_error' });
  const { access_token: token, refresh_token: refreshToken, expires_in: lifetime, scope } = response;
  if (typeof token !== 'string' || token === '') {
    throw new HomeportError('refresh_token_external_error', 'Microsoft gave no second token for this connection.');
  }
  const end = readExpiry(response, sentAt);
  return {
    access_token: token,
    ...(typeof refreshToken === 'string' ? { refresh_token: refreshToken } : {}),
    ...(lifetime === undefined ? {} : { expires_in: Number(lifetime) }),
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(end === undefined ? {} : { expires_at: end }),
  };
}

function secondOf(config: Config, key: string): Partial<SecondToken> {
  const value = config[key];
  return typeof value === 'object' && value !== null ? value : {};
}

function textOf(config: Config, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** No code is exchanged: after an administrator's consent the app requests tokens for itself. */
const asApp = (call: TokenCall, { client, context }: ExchangeFacts | RefreshFacts): TokenCall => ({
  ...call,
  params: {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret ?? '',
    scope: (context.app.scopes ?? '').split(',').join(' '),
  },
});

const sharePoint: ProviderQuirk = {
  afterRefresh: refreshSharePoint,
  isDue: isSecondDue('sharepointAccessToken', 'tenantId'),
};

export const MICROSOFT: Record<string, ProviderQuirk> = {
  'one-drive': sharePoint,
  'sharepoint-online': sharePoint,
  'microsoft-teams-bot': {
    afterRefresh: renewBotToken,
    isDue: isSecondDue('botFrameworkAccessToken', 'botHostTenantId'),
  },
  'microsoft-admin': { exchange: asApp, refresh: asApp, needsNoRefreshToken: true },
};
