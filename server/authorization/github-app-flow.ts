import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { CredentialsService, IssuedCredentials } from '../connections/credentials/credentials.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { OperationLog } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CallbackQuery, FinishedConnection, FinishFlow } from './finish-flow.ts';
import { clientOfFlow, type FlowContext, withoutOverrides } from './flow-context.ts';
import type { FlowState } from './flow-states.ts';

/** Apps that are installed at the provider: alone (APP), or together with a user's authorization (CUSTOM). */
export function createGithubAppFlow({
  credentials,
  connections,
  succeed,
}: {
  credentials: CredentialsService;
  connections: ConnectionsService;
  succeed: FinishFlow['succeed'];
}) {
  /** APP: return from the page on which the app was installed (auth-and-connect.md 3.7). */
  async function finishInstallation(
    state: FlowState,
    context: FlowContext,
    query: CallbackQuery,
  ): Promise<FinishedConnection> {
    if (state.authMode !== 'APP') {
      throw new HomeportError('wrong_auth_mode', 'This authorization returns to /oauth/callback, not to this address.');
    }
    if (query['setup_action'] === 'request') {
      throw new HomeportError(
        'wrong_auth_mode',
        'The installation was requested, not made: an owner of the organization must approve it. Then connect again.',
      );
    }
    return succeedAsApp(context, { ...context.connectionConfig }, installationOf(query));
  }

  /** CUSTOM: return with a user's code, an installation, or both. */
  async function finishWithUser(
    state: FlowState,
    context: FlowContext,
    query: CallbackQuery,
    exchange: () => Promise<IssuedCredentials>,
  ): Promise<FinishedConnection> {
    const { installation_id: installationId, code } = query;
    if (installationId !== undefined) {
      const known = await findInstalled(context, installationId);
      if (known) return renewInstalled(context, state, known, installationId);
      if (code === undefined) return succeedAsApp(context, state.connectionConfig, installationId);
    }
    const user = await exchange();
    if (installationId === undefined) return succeedPending(context, user);
    const config = { ...user.config, userCredentials: user.credentials };
    return succeedAsApp(context, config, installationId);
  }

  async function succeedAsApp(
    context: FlowContext,
    connectionConfig: Record<string, unknown>,
    installationId: string,
  ): Promise<FinishedConnection> {
    const issued = await issue({ ...context, connectionConfig }, installationId);
    return succeed(context, issued, withoutOverrides({ ...connectionConfig, ...issued.config }));
  }

  /** The installation's token, and the configuration that belongs to it. */
  function issue(context: FlowContext, installationId: string): Promise<IssuedCredentials> {
    const ids = { installation_id: installationId, app_id: appIdOf(context) };
    return credentials.issue({ ...context, connectionConfig: { ...context.connectionConfig, ...ids } }, ids);
  }

  /** The user has authorized the app, but an owner must still approve the installation. */
  function succeedPending(context: FlowContext, user: IssuedCredentials): Promise<FinishedConnection> {
    const config = { ...user.config, app_id: appIdOf(context), pending: true, pendingLog: context.operation.id };
    return succeed(context, user, config, { isPending: true });
  }

  /** Renews only the token of the app, unless this connection was to be reconnected: it may belong to another user. */
  async function renewInstalled(
    context: FlowContext,
    state: FlowState,
    known: StoredConnection,
    installationId: string,
  ): Promise<FinishedConnection> {
    const { connectionId } = known;
    const isOwn = connectionId === context.connectionId;
    const { lookupHash, isReconnecting } = context.session;
    const session = isOwn ? context.session : { lookupHash, isReconnecting };
    const issued = await issue(context, installationId);
    // Read last, because its user's tokens may be renewed meanwhile.
    const kept = await connections.credentials.readConfig(known);
    const entered = isOwn ? state.connectionConfig : {};
    const settled = withoutOverrides({ ...kept, ...entered, ...issued.config });
    return succeed({ ...context, connectionId, session }, issued, settled);
  }

  /** The existing connection of this installation; undefined when there is none. */
  async function findInstalled(
    { integration }: FlowContext,
    installationId: string,
  ): Promise<StoredConnection | undefined> {
    const connectionId = await connections.findIdByConfig(integration.id, 'installation_id', installationId);
    return connectionId === undefined ? undefined : connections.find(integration, connectionId);
  }

  return { finishInstallation, finishWithUser };
}

function installationOf(query: CallbackQuery): string {
  const id = query['installation_id'];
  if (id) return id;
  throw new HomeportError('callback_err', 'The callback of the provider lacks "installation_id".');
}

function appIdOf({ app }: FlowContext): string {
  return app.appId ?? app.clientId ?? '';
}

/** An installation that the provider reported by webhook. */
export interface ReportedInstallation {
  environment: Environment;
  integration: Integration;
  /** Ids of the connections that it may complete. */
  connectionIds: readonly string[];
  /** Added to their configuration. */
  config: Readonly<Record<string, unknown>>;
  /** Authorization code, when their credentials have not been exchanged yet. */
  code?: string;
}

/** Connections that wait for an owner to approve the installation of an app (auth-and-connect.md 3.7). */
export function createPendingInstallations({
  catalog,
  integrations,
  connections,
  credentials,
  log,
  succeed,
}: {
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  connections: ConnectionsService;
  credentials: CredentialsService;
  log: OperationLog;
  succeed: FinishFlow['succeed'];
}) {
  async function complete({
    environment,
    integration,
    connectionIds,
    config,
    code,
  }: ReportedInstallation): Promise<void> {
    const entry = catalog.find(integration.provider);
    for (const connectionId of connectionIds) {
      const connection = await connections.find(integration, connectionId);
      if (!entry || connection?.connectionConfig['pending'] !== true) continue;
      const context = await contextOf(environment, integration, entry, connection);
      if (entry.auth_mode === 'CUSTOM') await addInstallation(context, connection, config);
      else if (code !== undefined) await exchange(context, config, code);
    }
  }

  /**
   * Issues the first credentials of the connection. It stays pending until the provider's step after connecting has
   * run, if the provider has one.
   */
  async function exchange(
    context: FlowContext,
    config: Readonly<Record<string, unknown>>,
    code: string,
  ): Promise<void> {
    const known = { ...context.connectionConfig, ...config };
    const exchange = { client: clientOfFlow(context, known), code, redirectUri: '' };
    const issued = await credentials.exchangeCode({ ...context, connectionConfig: known }, exchange);
    const { pending, pendingLog: _log, ...settled } = { ...known, ...issued.config };
    const isPending = context.entry.post_connection_script !== undefined;
    await succeed(context, issued, isPending ? { ...settled, pending } : settled, { isPending });
  }

  /** The user's token exists since the authorization; the installation's token is issued now. */
  async function addInstallation(
    context: FlowContext,
    waiting: StoredConnection,
    config: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const ids = { installation_id: String(config['installation_id'] ?? ''), app_id: context.app.appId ?? '' };
    const issued = await credentials.issue(
      { ...context, connectionConfig: { ...context.connectionConfig, ...ids } },
      ids,
    );
    const { pending: _pending, pendingLog: _log, ...kept } = await connections.credentials.readConfig(waiting);
    const user = { userCredentials: await connections.credentials.read(waiting) };
    await succeed(context, issued, { ...user, ...kept, ...config, ...issued.config });
  }

  async function contextOf(
    environment: Environment,
    integration: Integration,
    entry: ProviderEntry,
    connection: StoredConnection,
  ): Promise<FlowContext> {
    const { connectionConfig, connectionId } = connection;
    return {
      environment,
      environmentId: environment.id,
      integration,
      entry,
      connectionId,
      connectionConfig,
      app: await integrations.readAppCredentials(environment.id, integration.uniqueKey),
      custom: await integrations.readCustom(environment.id, integration.uniqueKey),
      stored: connection,
      // The session that started it may have ended; the connection already holds what the session set.
      session: { lookupHash: '', isReconnecting: true },
      operation: log.attach(String(connectionConfig['pendingLog'] ?? '')),
    };
  }

  return { complete };
}
