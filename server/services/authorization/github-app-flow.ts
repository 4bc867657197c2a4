import { HomeportError } from '../../lib/homeport-error.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { CredentialsService, Minted } from '../credentials/credentials-service.ts';
import { withoutOverrides } from './callback-config.ts';
import type { CallbackQuery } from './callback-flow.ts';
import type { FinishedConnection, FlowCompletion } from './flow-completion.ts';
import type { FlowPlace } from './flow-place.ts';
import type { FlowState } from './flow-states.ts';

export interface GithubAppFlowOptions {
  credentials: CredentialsService;
  connections: ConnectionsService;
  completion: FlowCompletion;
}

/** Apps that are installed at the provider: alone (APP), or together with a user's sign-in (CUSTOM). */
export class GithubAppFlow {
  readonly #options: GithubAppFlowOptions;

  constructor(options: GithubAppFlowOptions) {
    this.#options = options;
  }

  /** APP: back from the page on which the app was installed (auth-and-connect.md 3.7). */
  async finishInstallation(state: FlowState, place: FlowPlace, query: CallbackQuery): Promise<FinishedConnection> {
    if (state.authMode !== 'APP') {
      throw new HomeportError('wrong_auth_mode', 'This sign-in does not come back here, but to /oauth/callback.');
    }
    if (query['setup_action'] === 'request') {
      throw new HomeportError(
        'wrong_auth_mode',
        'The installation was requested, not made: an owner of the organization must approve it. Then connect again.',
      );
    }
    return this.#succeedAsApp(place, { ...place.connectionConfig }, installationOf(query));
  }

  /** CUSTOM: back with a user's code, an installation, or both. */
  async finishWithUser(
    state: FlowState,
    place: FlowPlace,
    query: CallbackQuery,
    exchange: () => Promise<Minted>,
  ): Promise<FinishedConnection> {
    const { installation_id: installationId, code } = query;
    if (installationId !== undefined) {
      const known = await this.#findInstalled(place, installationId);
      if (known) return this.#renewInstalled(place, state, known, installationId);
      if (code === undefined) return this.#succeedAsApp(place, state.connectionConfig, installationId);
    }
    const user = await exchange();
    if (installationId === undefined) return this.#succeedPending(place, user);
    const config = { ...user.config, userCredentials: user.credentials };
    return this.#succeedAsApp(place, config, installationId);
  }

  async #succeedAsApp(
    place: FlowPlace,
    connectionConfig: Record<string, unknown>,
    installationId: string,
  ): Promise<FinishedConnection> {
    const { credentials, config } = await this.#mint({ ...place, connectionConfig }, installationId);
    return this.#options.completion.succeed(place, credentials, withoutOverrides({ ...connectionConfig, ...config }));
  }

  /** The installation's token, and what the configuration holds of it. */
  #mint(place: FlowPlace, installationId: string): Promise<Minted> {
    const ids = { installation_id: installationId, app_id: appIdOf(place) };
    return this.#options.credentials.mint({ ...place, connectionConfig: { ...place.connectionConfig, ...ids } }, ids);
  }

  /** The user has signed in, an owner has yet to approve the installation. */
  #succeedPending(place: FlowPlace, user: Minted): Promise<FinishedConnection> {
    const config = { ...user.config, app_id: appIdOf(place), pending: true, pendingLog: place.operation.id };
    return this.#options.completion.succeed(place, user.credentials, config, { isPending: true });
  }

  /** The app's part anew. Whoever was not asked to reconnect it keeps out of the rest: it may be another's. */
  async #renewInstalled(
    place: FlowPlace,
    state: FlowState,
    known: Connection,
    installationId: string,
  ): Promise<FinishedConnection> {
    const { connectionId } = known;
    const isOwn = connectionId === place.connectionId;
    const { lookupHash, isReconnecting } = place.session;
    const session = isOwn ? place.session : { lookupHash, isReconnecting };
    const { credentials, config } = await this.#mint(place, installationId);
    // Read last: its user's tokens may be renewed meanwhile.
    const kept = await this.#options.connections.credentials.readConfig(known);
    const entered = isOwn ? state.connectionConfig : {};
    const settled = withoutOverrides({ ...kept, ...entered, ...config });
    return this.#options.completion.succeed({ ...place, connectionId, session }, credentials, settled);
  }

  /** The connection that has this installation already. */
  async #findInstalled({ integration }: FlowPlace, installationId: string): Promise<Connection | undefined> {
    const { connections } = this.#options;
    const connectionId = await connections.findIdByConfig(integration.id, 'installation_id', installationId);
    return connectionId === undefined ? undefined : connections.find(integration, connectionId);
  }
}

function installationOf(query: CallbackQuery): string {
  const id = query['installation_id'];
  if (id) return id;
  throw new HomeportError('callback_err', 'The provider came back without "installation_id".');
}

function appIdOf({ app }: FlowPlace): string {
  return app.appId ?? app.clientId ?? '';
}
