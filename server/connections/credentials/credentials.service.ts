import type { EnvironmentService } from '../../environments/environment.service.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { ParamTemplate } from '../../integrations/catalog/proxy-schema.ts';
import { takesPublicClient } from '../../integrations/catalog/ways-in.contract.ts';
import type { IntegrationAppCredentials } from '../../integrations/integration.ts';
import type { Operation } from '../../log/operation.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { omitUndefined } from '../../platform/lib/omit-undefined.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { ImportCredentials } from '../connections.contract.ts';
import {
  DEVICE_GRANT,
  type DeviceAnswer,
  type DeviceCode,
  type DeviceQuestion,
  type DeviceRequest,
  requestDeviceCode,
  requestDeviceTokens,
} from './auth-modes/device-authorization.ts';
import { findIssuer } from './auth-modes/issuers.ts';
import { exchangeOAuth1Token, type OAuth1TokenPair, requestOAuth1Token } from './auth-modes/oauth1-tokens.ts';
import { type CodeExchange, exchangeCode, refreshTokens, requireParams } from './auth-modes/oauth2.ts';
import { type OAuthClient, tokenAddress } from './auth-modes/token-endpoint.ts';
import {
  type DiscoveredAuthorization,
  discoverAuthorization,
  discoveredClient,
  discoveredEntry,
  isDiscovered,
} from './mcp/discover-authorization.ts';
import { type RegisteredClient, registerClient } from './mcp/register-client.ts';
import { quirkOf } from './provider-quirks/provider-quirks.ts';
import { expiryBufferMs, findRenewalNeed, type RenewalFacts, type RenewalNeed } from './renewal-need.ts';
import type { StoredCredentials } from './stored-credentials.ts';
import type { IssuedCredentials, TokenContext } from './token-context.ts';
import { createTokenSender } from './token-sender.ts';

export type { DeviceCode } from './auth-modes/device-authorization.ts';
export type { OAuth1TokenPair } from './auth-modes/oauth1-tokens.ts';
export { joinScopes, type OAuthClient } from './auth-modes/token-endpoint.ts';
export { readFlatCredentials } from './flat-credentials.ts';
export { discoveredClient, discoveredEntry, discoveredIssuer, isDiscovered } from './mcp/discover-authorization.ts';
export { endOfRegistration } from './mcp/register-client.ts';
export { canRenew, expiryOf, isRenewedType, type RenewalFacts } from './renewal-need.ts';
export type { StoredCredentials } from './stored-credentials.ts';
export type { IssuedCredentials } from './token-context.ts';

/** The connection whose credentials are issued or renewed. */
export interface CredentialsContext {
  environmentId: number;
  entry: ProviderEntry;
  /** The developer's app at the provider. */
  app: IntegrationAppCredentials;
  /** Values of the entry's `integration_config`. */
  custom: Record<string, string>;
  connectionConfig: Record<string, unknown>;
  /** The log operation for requests to the provider. */
  operation?: Operation;
}

export type CredentialsService = ReturnType<typeof createCredentialsService>;

/** Issues and renews credentials of every auth mode. Callers store them. */
export function createCredentialsService({
  http,
  clock,
  ids,
  environments,
}: {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  ids: Ids;
  environments: Pick<EnvironmentService, 'allowedHosts'>;
}) {
  /** When credentials end, in epoch milliseconds, for providers that must be asked. */
  const ends = new WeakMap<StoredCredentials, number>();

  /** Whether the credentials must be renewed before they are used; asks the provider when only it knows. */
  async function findNeed(
    credentialsContext: () => Promise<CredentialsContext>,
    facts: RenewalFacts,
  ): Promise<'none' | 'renew' | 'app-jwt' | 'exhausted' | 'backoff'> {
    const need = peekNeed(facts);
    if (need !== 'ask') return need;
    const { entry, credentials } = facts;
    const context = await credentialsContext();
    const end = await quirkOf(entry.name).findEnd?.(credentials, {
      context: contextOf(context),
      client: clientForRenewal(context, credentials),
    });
    ends.set(credentials, end ?? 0);
    return isEnding(facts, end ?? 0) ? 'renew' : 'none';
  }

  /** As `findNeed`, without a request: `ask` when the provider was not asked yet when these credentials end. */
  function peekNeed(facts: RenewalFacts): RenewalNeed {
    const need = findRenewalNeed(facts);
    const end = need === 'ask' ? ends.get(facts.credentials) : undefined;
    return end === undefined || isEnding(facts, end) ? need : 'none';
  }

  function isEnding({ entry, nowMs }: RenewalFacts, end: number): boolean {
    return end - nowMs < expiryBufferMs(entry);
  }

  /**
   * Renews credentials. `keep` is called with renewed ones as soon as they are known, before further requests use them,
   * so that they are not lost.
   */
  async function renew(
    credentialsContext: CredentialsContext,
    stored: StoredCredentials,
    options: { onlyAppJwt: boolean; keep: (issued: IssuedCredentials) => void },
  ): Promise<IssuedCredentials> {
    const { keep } = options;
    if (stored.type === 'OAUTH2') {
      return refreshTokens(
        { ...oauth2ContextOf(credentialsContext), stored, keep },
        clientForRenewal(credentialsContext, stored),
        stored,
      );
    }
    const context: TokenContext = { ...contextOf(credentialsContext), stored, keep };
    if (options.onlyAppJwt) return renewAppJwt(context, stored);
    if (stored.type === 'APP' && credentialsContext.entry.auth_mode === 'CUSTOM') return renewBoth(context, stored);
    const issue = stored.type === undefined ? undefined : await findIssuer(stored.type);
    if (!issue) throw new HomeportError('unsupported_auth', `Credentials of type ${stored.type} cannot be renewed.`);
    const { credentials, config } = await issue(context, stored);
    // Configuration from the first response stays unchanged (auth-and-connect.md 4.4).
    const jwtToken = stored.type === 'APP' ? config?.['jwtToken'] : undefined;
    return jwtToken ? { credentials, config: { jwtToken } } : { credentials };
  }

  /** Requests go to the addresses of the connection's own server; the entry still limits which hosts they may reach. */
  function oauth2ContextOf(credentialsContext: CredentialsContext): TokenContext {
    const context = contextOf(credentialsContext);
    const { entry, connectionConfig } = context;
    return isDiscovered(entry) ? { ...context, entry: discoveredEntry(entry, connectionConfig) } : context;
  }

  async function dated(ask: () => Promise<IssuedCredentials>): Promise<IssuedCredentials> {
    const askedAt = clock.now();
    return { ...(await ask()), askedAt };
  }

  function contextOf({ operation, environmentId, ...context }: CredentialsContext): TokenContext {
    const hosts = environments.allowedHosts(environmentId);
    return {
      ...context,
      ids,
      now: () => clock.now(),
      send: createTokenSender({ http, clock, entry: context.entry, allowedHosts: hosts, operation }),
    };
  }

  return {
    /** Issues credentials from values that a person entered, for every mode without a redirect. */
    async issue(context: CredentialsContext, given: Record<string, unknown>): Promise<IssuedCredentials> {
      const issue = await findIssuer(context.entry.auth_mode);
      if (!issue) {
        throw new HomeportError(
          'invalid_auth_mode',
          `Connections to ${context.entry.display_name} are created by an authorization at the provider.`,
        );
      }
      return dated(() => issue(contextOf(context), given));
    },

    /** Parameters of the catalogue, filled with the connection's values. Throws when a value is missing. */
    fillParams(context: CredentialsContext, params: Record<string, ParamTemplate> | undefined): Record<string, string> {
      return requireParams(contextOf(context), params);
    },

    /** Throws when the address of the token endpoint cannot be built, before the end user goes to the provider. */
    checkTokenAddress(context: CredentialsContext): void {
      tokenAddress(contextOf(context), 'OAUTH2', {});
    },

    exchangeCode(context: CredentialsContext, exchange: CodeExchange): Promise<IssuedCredentials> {
      return dated(() => exchangeCode(oauth2ContextOf(context), exchange));
    },

    /** Asks the provider for a code that a person enters there (RFC 8628). */
    requestDeviceCode(context: CredentialsContext, request: DeviceRequest): Promise<DeviceCode> {
      return requestDeviceCode(contextOf(context), request);
    },

    /** Asks once whether the person has agreed. Questions are not logged: there are hundreds for one sign-in. */
    async requestDeviceTokens(
      { operation: _operation, ...context }: CredentialsContext,
      request: DeviceQuestion,
    ): Promise<DeviceAnswer> {
      const askedAt = clock.now();
      const answer = await requestDeviceTokens(contextOf(context), request);
      return answer.state === 'issued' ? { ...answer, issued: { ...answer.issued, askedAt } } : answer;
    },

    /** Registers the hub at a provider whose entry says so (`client_registration: dynamic`). */
    async registerClient(
      context: CredentialsContext,
      callbackUrl: string,
      timeoutMs: number,
    ): Promise<RegisteredClient> {
      const { device_authorization_url: device, registration_url: address, name } = context.entry;
      const { registration_params: further } = context.entry;
      if (address === undefined) {
        throw new HomeportError('provider_config_err', `The provider ${name} names no registration_url.`);
      }
      return registerClient(contextOf(context), address, {
        callbackUrl,
        clientName: 'Homeport',
        authMethod: 'none',
        timeoutMs,
        further: {
          ...(device === undefined ? {} : { grant_types: `authorization_code refresh_token ${DEVICE_GRANT}` }),
          ...further,
        },
      });
    },

    /** Finds how to authorize at an MCP server that only the connection names, and with which client. */
    async discover(
      context: CredentialsContext,
      addresses: { callbackUrl: string; documentUrl: string | undefined },
    ): Promise<DiscoveredAuthorization> {
      const allowedHosts = environments.allowedHosts(context.environmentId);
      return discoverAuthorization(contextOf(context), { ...addresses, allowedHosts });
    },

    requestOAuth1Token(context: CredentialsContext, client: OAuthClient, callback: string): Promise<OAuth1TokenPair> {
      return requestOAuth1Token(contextOf(context), client, callback);
    },

    exchangeOAuth1Token(
      context: CredentialsContext,
      client: OAuthClient,
      temporary: OAuth1TokenPair,
      verifier: string,
    ): Promise<IssuedCredentials> {
      return dated(() => exchangeOAuth1Token(contextOf(context), client, temporary, verifier));
    },
    findNeed,
    peekNeed,
    renew,
  };
}

async function renewAppJwt(context: TokenContext, stored: StoredCredentials): Promise<IssuedCredentials> {
  const { issueGithubAppJwt } = await import('./auth-modes/issue-github-app.ts');
  return issueGithubAppJwt(context, stored);
}

async function renewBoth(context: TokenContext, stored: StoredCredentials): Promise<IssuedCredentials> {
  const { renewGithubApp } = await import('./auth-modes/issue-github-app.ts');
  return renewGithubApp(context, (user) => clientOf(context.app, user), stored);
}

/** The client for a renewal. */
function clientForRenewal(
  { app, entry, connectionConfig }: CredentialsContext,
  stored: StoredCredentials,
): OAuthClient {
  if (isDiscovered(entry)) return discoveredClient(connectionConfig);
  return clientOf(app, stored, { needsSecret: !takesPublicClient(entry) });
}

/** The connection's own client when it is complete, else the integration's (auth-and-connect.md 4.4). */
export function clientOf(
  app: IntegrationAppCredentials,
  stored?: StoredCredentials,
  { needsSecret } = { needsSecret: true },
): OAuthClient {
  const own = stored?.['config_override'] as { client_id?: string; client_secret?: string } | undefined;
  if (own?.client_id && (own.client_secret || !needsSecret)) return { id: own.client_id, secret: own.client_secret };
  return { id: app.clientId ?? '', secret: app.clientSecret };
}

/** The stored document for an import's credentials (http-api.md 4); `raw` is what was sent. */
export function toStoredCredentials(sent: ImportCredentials, nowMs: number): StoredCredentials {
  switch (sent.type) {
    case 'OAUTH2':
      return fromOauth2(sent, nowMs);
    case 'OAUTH2_CC':
      return omitUndefined({ ...sent, raw: { ...sent } });
    case 'OAUTH1':
      return {
        type: sent.type,
        oauth_token: sent.oauth_token,
        oauth_token_secret: sent.oauth_token_secret,
        raw: sent.raw ?? { ...sent },
      };
    case 'API_KEY':
      return { type: sent.type, apiKey: sent.apiKey ?? sent.api_key };
    case 'BASIC':
      return { type: sent.type, username: sent.username, password: sent.password };
    case 'TBA':
      return {
        type: sent.type,
        token_id: sent.token_id,
        token_secret: sent.token_secret,
        config_override: sent.config_override ?? {},
      };
    case 'NONE':
      return {};
    case 'APP':
    case 'CUSTOM':
      return { ...sent };
  }
}

function fromOauth2(sent: Extract<ImportCredentials, { type: 'OAUTH2' }>, nowMs: number): StoredCredentials {
  const lifetime = sent.expires_in;
  const expiresAt =
    sent.expires_at ?? (lifetime === undefined ? undefined : new Date(nowMs + lifetime * 1000).toISOString());
  const clientId = sent.config_override?.client_id ?? sent.oauth_client_id_override;
  const clientSecret = sent.config_override?.client_secret ?? sent.oauth_client_secret_override;
  const override = omitUndefined({ client_id: clientId, client_secret: clientSecret });
  return omitUndefined({
    type: sent.type,
    access_token: sent.access_token,
    refresh_token: sent.refresh_token,
    expires_at: expiresAt,
    raw: sent.raw ?? { ...sent },
    config_override: Object.keys(override).length > 0 ? override : undefined,
  });
}
