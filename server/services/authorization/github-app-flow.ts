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
    if (state.authMode !== 'APP' || query['setup_action'] === 'request') {
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
      if (known) {
        // What the user signed in for stays: only the app's token is made anew.
        const stored = await this.#options.connections.credentials.readConfig(known);
        const config = { ...stored, ...state.connectionConfig };
        return this.#succeedAsApp({ ...place, connectionId: known.connectionId }, config, installationId);
      }
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
    const { completion, credentials } = this.#options;
    const appId = appIdOf(place);
    const config = { ...connectionConfig, installation_id: installationId, app_id: appId };
    const minted = await credentials.mint(
      { ...place, connectionConfig: config },
      { installation_id: installationId, app_id: appId },
    );
    return completion.succeed(place, minted.credentials, withoutOverrides({ ...config, ...minted.config }));
  }

  /** The user has signed in, an owner has yet to approve the installation. */
  #succeedPending(place: FlowPlace, user: Minted): Promise<FinishedConnection> {
    const config = { ...user.config, app_id: appIdOf(place), pending: true, pendingLog: place.operation.id };
    return this.#options.completion.succeed(place, user.credentials, config, { isPending: true });
  }

  /** The connection that has this installation already. */
  async #findInstalled({ integration }: FlowPlace, installationId: string): Promise<Connection | undefined> {
    const { connections } = this.#options;
    for (const { connectionId } of await connections.listOfIntegration(integration.id)) {
      const connection = await connections.find(integration, connectionId);
      if (connection && String(connection.connectionConfig['installation_id']) === installationId) return connection;
    }
    return undefined;
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
