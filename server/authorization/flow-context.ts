import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import {
  type CredentialsContext,
  discoveredClient,
  type IssuedCredentials,
  isDiscovered,
  type OAuthClient,
  type StoredCredentials,
} from '../connections/credentials/credentials.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { AuthMode } from '../integrations/catalog/provider-modes.ts';
import { takesPublicClient } from '../integrations/catalog/ways-in.contract.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import type { FlowSession, FlowState } from './flow-states.ts';

/** The request of an end user. */
export interface FlowRequest {
  integrationKey: string;
  session: ConnectSession;
  /** `connection_config` as entered. */
  params: Record<string, string>;
  /** The auth mode of the called endpoint; undefined when it accepts every mode. */
  mode?: AuthMode;
  /** Accepts only providers whose own marketplace starts the connection. */
  isOutbound?: boolean;
}

/** Everything for an authorization except the credentials. */
export interface FlowContext extends CredentialsContext {
  environment: Environment;
  integration: Integration;
  connectionId: string;
  session: FlowSession;
  /** The connection that is being renewed. */
  stored: StoredConnection | undefined;
  operation: Operation;
}

/** What the session presets for the integration. */
export interface FlowDefaults {
  authorizationParams?: Record<string, string> | undefined;
  userScopes?: string | undefined;
}

export type FlowContexts = ReturnType<typeof createFlowContexts>;

/** Opens the contexts of authorizations, with the checks of auth-and-connect.md 2.1 in their order. */
export function createFlowContexts({
  catalog,
  environments,
  integrations,
  connections,
  connectSessions,
  log,
}: {
  catalog: CatalogLookup;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  connectSessions: Pick<ConnectSessionsService, 'noteFailure' | 'operationIdFor'>;
  log: OperationLog;
}) {
  /** The context of a new authorization. Throws for a refusal, which is also written to the log. */
  async function open(request: FlowRequest): Promise<FlowContext & FlowDefaults> {
    try {
      return await openFor(request);
    } catch (error) {
      if (error instanceof HomeportError) noteRefusal(request.session, error);
      throw error;
    }
  }

  async function openFor(request: FlowRequest): Promise<FlowContext & FlowDefaults> {
    const { integrationKey, session, params, mode, isOutbound = false } = request;
    const stored = await renewedBy(session);
    const parts = await openParts(session.environment, integrationKey, mode);
    if (isOutbound && parts.entry.installation !== 'outbound') throw notOutbound(parts.entry);
    const { allowedIntegrations } = session;
    if (allowedIntegrations.length > 0 && !allowedIntegrations.includes(integrationKey)) {
      throw new HomeportError('integration_not_allowed', 'The session does not allow this integration.', {
        silent: true,
      });
    }
    const defaults = session.configDefaults?.[integrationKey];
    // Values that the end user cannot choose (auth-and-connect.md 1.5, 3.2).
    const { webhook_url: _webhook, oauth_scopes_override: _scopes, ...entered } = params;
    return {
      ...parts,
      connectionId: stored?.connectionId ?? connections.newConnectionId(),
      stored,
      connectionConfig: {
        ...entered,
        ...defaults?.connection_config,
        ...presetConfig(parts.entry, parts.custom),
      },
      session: toFlowSession(session),
      operation: log.attach(connectSessions.operationIdFor(session)),
      authorizationParams: defaults?.authorization_params,
      userScopes: defaults?.user_scopes,
    };
  }

  /** The context of an authorization whose callback arrived. */
  async function reopen(state: FlowState): Promise<FlowContext> {
    const environment = environments.find(state.environmentId);
    if (!environment) throw unknownIntegration(state.integrationKey);
    const parts = await openParts(environment, state.integrationKey);
    const { connectionId, connectionConfig, session, operationId } = state;
    const stored = session.isReconnecting ? await connections.find(parts.integration, connectionId) : undefined;
    return { ...parts, connectionId, stored, connectionConfig, session, operation: log.attach(operationId) };
  }

  async function openParts(environment: Environment, integrationKey: string, mode?: AuthMode) {
    const integration = await integrations.find(environment.id, integrationKey);
    if (!integration) throw unknownIntegration(integrationKey, mode);
    const entry = catalog.find(integration.provider);
    if (!entry) {
      throw new HomeportError('unknown_provider_template', catalog.explainMissing(integration.provider));
    }
    if (mode !== undefined && entry.auth_mode !== mode) throw wrongMode(entry, mode);
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(environment.id, integrationKey),
      integrations.readCustom(environment.id, integrationKey),
    ]);
    return { environment, environmentId: environment.id, integration, entry, app, custom };
  }

  /** The connection that the session renews; undefined for sessions that create connections. */
  async function renewedBy(session: ConnectSession): Promise<StoredConnection | undefined> {
    if (!session.reconnect) return undefined;
    const { integrationKey, connectionId } = session.reconnect;
    const integration = await integrations.find(session.environment.id, integrationKey);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!connection) throw deletedConnection();
    return connection;
  }

  function noteRefusal(session: ConnectSession, { code, message }: HomeportError): void {
    const error = { type: code, message };
    log.attach(connectSessions.operationIdFor(session)).log({ level: 'error', context: 'auth', message, error });
    connectSessions.noteFailure(session.lookupHash, error);
  }

  return { open, reopen };
}

function toFlowSession(session: ConnectSession): FlowSession {
  const { lookupHash, endUser, tags, webhookUrlOverride, reconnect } = session;
  return { lookupHash, endUser, tags, webhookUrlOverride, isReconnecting: reconnect !== undefined };
}

export function deletedConnection(): HomeportError {
  return new HomeportError('invalid_connection', 'The connection of this session was deleted.');
}

/** This error has another status for client credentials (auth-and-connect.md 2.1). */
function unknownIntegration(key: string, mode?: AuthMode): HomeportError {
  const status = mode === 'OAUTH2_CC' ? 400 : 404;
  return new HomeportError('unknown_provider_config', `There is no integration "${key}".`, { status });
}

function wrongMode(entry: ProviderEntry, mode: AuthMode): HomeportError {
  return new HomeportError(
    'invalid_auth_mode',
    `${entry.display_name} connects by ${entry.auth_mode}; this endpoint is for ${mode}.`,
  );
}

function notOutbound({ display_name: name }: ProviderEntry): HomeportError {
  return new HomeportError('invalid_auth_mode', `Connections to ${name} start in Homeport, not at the provider.`);
}

/**
 * The client of the end user or the session, else the integration's (auth-and-connect.md 3.2). OAuth 1 always uses the
 * integration's: every later request is signed with it.
 */
export function clientOfFlow({ app, entry }: FlowContext, connectionConfig: Record<string, unknown> = {}): OAuthClient {
  if (isDiscovered(entry)) return discoveredClient(connectionConfig);
  const { oauth_client_id_override: id, oauth_client_secret_override: secret } = connectionConfig;
  const clientId = filledText(id) ?? app.clientId;
  const clientSecret = filledText(secret) ?? app.clientSecret;
  if (!clientId || (!clientSecret && !takesPublicClient(entry))) {
    throw new HomeportError(
      'provider_config_err',
      `The integration has no client id or no client secret for ${entry.display_name}. Add them in its settings.`,
    );
  }
  return { id: clientId, secret: clientSecret };
}

export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The parameters of the query that may replace the client and the refresh token. */
export function overridesOf(credentials: Record<string, string>): Record<string, string> {
  const names = ['oauth_client_id_override', 'oauth_client_secret_override', 'oauth_refresh_token_override'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = credentials[name];
      return value && value !== 'undefined' ? [[name, value] as const] : [];
    }),
  );
}

/** The scopes that the session sets in the place of the integration's; comma-separated. */
export function sessionScopes({ oauth_scopes_override: scopes }: Record<string, unknown>): string | undefined {
  return Array.isArray(scopes) ? scopes.join(',') : filledText(scopes);
}

type Config = Record<string, unknown>;

/** Entered and preset values take precedence, except empty texts (auth-and-connect.md 3.5). */
export function mergeConfig(found: Config, entered: Config): Config {
  const kept = Object.entries(entered).filter(([name, value]) => value !== '' || found[name] === undefined);
  return { ...found, ...Object.fromEntries(kept) };
}

/** The callback parameters that the entry names. */
export function pickNamed(
  query: Readonly<Record<string, string>>,
  names: readonly string[] | undefined,
): Record<string, string> {
  return Object.fromEntries((names ?? []).flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

/** Moves the client overrides of an authorization to the credentials; only the rest is configuration. */
export function moveOverridesToCredentials(credentials: StoredCredentials, config: Config): IssuedCredentials {
  const {
    oauth_client_id_override: clientId,
    oauth_client_secret_override: clientSecret,
    oauth_refresh_token_override: refreshToken,
  } = config;
  const override = {
    ...(clientId ? { client_id: clientId } : {}),
    ...(clientSecret ? { client_secret: clientSecret } : {}),
  };
  return {
    credentials: {
      ...credentials,
      ...(refreshToken
        ? { refresh_token: refreshToken, raw: { ...credentials.raw, refresh_token: refreshToken } }
        : {}),
      ...(Object.keys(override).length > 0 ? { config_override: override } : {}),
    },
    config: { ...withoutOverrides(config), ...(refreshToken ? { overrideTokenRefresh: true } : {}) },
  };
}

/** The configuration as it is stored: without secrets of the authorization, and with scopes as a list. */
export function withoutOverrides(config: Config): Config {
  const {
    oauth_client_id_override: _id,
    oauth_client_secret_override: _secret,
    oauth_refresh_token_override: _token,
    oauth_scopes_override: scopes,
    ...rest
  } = config;
  return scopes === undefined ? rest : { ...rest, oauth_scopes_override: toList(scopes) };
}

function toList(scopes: unknown): string[] {
  const list = Array.isArray(scopes) ? scopes.map(String) : String(scopes).split(',');
  return list.map((scope) => scope.trim()).filter((scope) => scope !== '');
}
