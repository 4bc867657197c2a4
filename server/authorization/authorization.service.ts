import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { CredentialsService, IssuedCredentials } from '../connections/credentials/credentials.service.ts';
import { callbackUrlOf } from '../contract/callback-page.ts';
import type { ErrorCode } from '../contract/error-codes.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { AuthMode } from '../integrations/catalog/provider-modes.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { ClientRegistration } from '../lifecycle/client-registration.ts';
import type { ConnectionCreation } from '../lifecycle/connection-creation.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { CallbackFlow, type CallbackQuery, refusalOf } from './callback-flow.ts';
import type { SessionsOfPerson } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import {
  type FinishedConnection,
  FlowCompletion,
  type FlowFailure,
  lockedVault,
  toFlowFailure,
  unknownState,
} from './flow-completion.ts';
import { type FlowContext, FlowContexts, type FlowDefaults, type FlowRequest } from './flow-context.ts';
import { type FlowState, FlowStates } from './flow-states.ts';
import { GithubAppFlow, PendingInstallations, type ReportedInstallation } from './github-app-flow.ts';
import { RedirectFlow, type Redirection } from './redirect-flow.ts';

export { buildAuthorizationUrl } from './authorization-url.ts';
export type { CallbackQuery } from './callback-flow.ts';
export type { FlowFailure } from './flow-completion.ts';

export interface AuthorizationServiceOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  log: OperationLog;
  catalog: CatalogLookup;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  credentials: CredentialsService;
  connections: ConnectionsService;
  connectSessions: ConnectSessionsService;
  authEvents: AuthEvents;
  creation: ConnectionCreation;
  tests: ConnectionTests;
  registration: ClientRegistration;
  /** Origin of callback addresses, without a trailing slash. */
  publicBase(): string;
}

/** A message to the page that waits for the outcome (auth-and-connect.md 1.6). */
export type AuthorizationSocketMessage =
  | ({ kind: 'success' } & FinishedConnection)
  | {
      kind: 'error';
      integrationKey?: string | undefined;
      connectionId?: string | undefined;
      type: string;
      message: string;
    };

export interface RedirectRequest extends FlowRequest {
  /** Client credentials that replace the integration's. */
  credentials: Record<string, string>;
  authorizationParams: Record<string, string>;
  wsClientId: string | undefined;
}

/** Content of the callback page. */
export type CallbackOutcome =
  | { ok: true; connection: FinishedConnection; refusal: Record<string, string> | undefined; provider: string }
  | {
      ok: false;
      failure: FlowFailure;
      /** The provider's display name; undefined when the authorization or its integration is unknown. */
      provider?: string | undefined;
      refusal: Record<string, string> | undefined;
      /** The address that must be registered with the provider; undefined when the authorization is unknown. */
      callbackUrl: string | undefined;
    };

const OTHER_BROWSER =
  'The callback arrived in another browser, or at another name of this computer, than the authorization started in.';

/**
 * End users connect accounts: on the provider's page, or with credentials that they enter (auth-and-connect.md 2 and
 * 3).
 */
export class AuthorizationService {
  readonly #publicBase: () => string;
  readonly #contexts: FlowContexts;
  readonly #states: FlowStates;
  readonly #completion: FlowCompletion;
  readonly #redirect: RedirectFlow;
  readonly #callback: CallbackFlow;
  readonly #form: FormFlow;
  readonly #githubApp: GithubAppFlow;
  readonly #pending: PendingInstallations;
  #notifyPage: (wsClientId: string, message: AuthorizationSocketMessage) => void = () => {};

  constructor(options: AuthorizationServiceOptions) {
    const { database, vault, clock, ids, log, catalog } = options;
    const { environments, integrations, credentials, connections, connectSessions } = options;
    const { authEvents, creation, tests, registration } = options;
    const contexts = new FlowContexts({ catalog, environments, integrations, connections, connectSessions, log });
    const states = new FlowStates({ database, vault, clock, ids });
    const completion = new FlowCompletion({ creation, connectSessions, authEvents });
    const githubApp = new GithubAppFlow({ credentials, connections, completion });
    this.#publicBase = options.publicBase;
    this.#contexts = contexts;
    this.#states = states;
    this.#completion = completion;
    this.#githubApp = githubApp;
    this.#redirect = new RedirectFlow({ credentials, states, registration, ids });
    this.#callback = new CallbackFlow({ credentials, completion, tests, githubApp });
    this.#form = new FormFlow({ contexts, credentials, completion, tests });
    this.#pending = new PendingInstallations({ catalog, integrations, connections, credentials, completion, log });
  }

  /** Sets the receiver of messages for waiting pages. */
  connect({ notify: notifyPage }: { notify: (wsClientId: string, message: AuthorizationSocketMessage) => void }): void {
    this.#notifyPage = notifyPage;
  }

  /** The callback address, as it must be registered with providers. */
  callbackUrl({ settings }: Environment): string {
    return callbackUrlOf(settings.callbackUrl, this.#publicBase());
  }

  /** Creates a connection from what the end user entered. */
  submit(request: FormRequest): Promise<FinishedConnection> {
    return this.#form.submit(request);
  }

  /** Creates a connection without a token; the provider sends the token when its marketplace has installed the app. */
  prepare(request: FlowRequest): Promise<FinishedConnection> {
    return this.#form.prepare(request);
  }

  /** Resolves to the address for the end user. A waiting page is notified of a failure, too. */
  async start(request: RedirectRequest): Promise<Redirection> {
    const { wsClientId, integrationKey } = request;
    let context: (FlowContext & FlowDefaults) | undefined;
    try {
      context = await this.#contexts.open(request);
      return await this.#redirect.start({
        context,
        callbackUrl: this.callbackUrl(context.environment),
        credentials: request.credentials,
        authorizationParams: request.authorizationParams,
        wsClientId,
      });
    } catch (error) {
      const failure = toFlowFailure(error);
      // Notify the page before writing logs.
      this.#notifyFailure(wsClientId, failure, { integrationKey, connectionId: context?.connectionId });
      if (context) await this.#completion.fail(context, failure);
      else this.#completion.refuse(request.session, failure);
      throw failure.fault ?? failure.error;
    }
  }

  /**
   * Handles `/oauth/callback`. The state is removed before anything is checked. A callback in another browser than the
   * one that started is only logged: behind a redirector it is normal (auth-and-connect.md 3.5).
   */
  finish(query: CallbackQuery, isSameBrowser: (state: string) => boolean): Promise<CallbackOutcome> {
    const id = stateOf(query);
    return this.#finish(query, id, (state, flowContext) => {
      if (id !== undefined && !isSameBrowser(id))
        flowContext.operation.log({ level: 'info', context: 'auth', message: OTHER_BROWSER });
      return this.#callback.finish(state, flowContext, query);
    });
  }

  /** Handles `/app-auth/connect`, the return from the installation of an app. */
  finishInstallation(query: CallbackQuery): Promise<CallbackOutcome> {
    return this.#finish(query, query['state'], (state, context) =>
      this.#githubApp.finishInstallation(state, context, query),
    );
  }

  /** Handles a webhook of the provider that reports an installed app. */
  completeInstallation(installation: ReportedInstallation): Promise<void> {
    return this.#pending.complete(installation);
  }

  /** Notifies the waiting page of an error in the checks before an authorization. */
  notifyRefusal(wsClientId: string | undefined, error: unknown): void {
    this.#notifyFailure(wsClientId, toFlowFailure(error));
  }

  #notifyFailure(
    wsClientId: string | undefined,
    { error, socketType }: FlowFailure,
    about: { integrationKey?: string; connectionId?: string | undefined } = {},
  ): void {
    if (wsClientId === undefined) return;
    this.#notifyPage(wsClientId, { kind: 'error', ...about, type: socketType, message: error.message });
  }

  /** Removes authorizations that a deletion made useless; resolves to whether one of the person is in progress. */
  removeOfPerson(of: Omit<SessionsOfPerson, 'listUnfinished'>): Promise<boolean> {
    return this.#states.removeOfPerson(of);
  }

  async #finish(
    query: CallbackQuery,
    id: string | undefined,
    work: (state: FlowState, context: FlowContext) => Promise<FinishedConnection>,
  ): Promise<CallbackOutcome> {
    const refusal = refusalOf(query);
    let state: FlowState | undefined;
    try {
      state = id === undefined ? undefined : await this.#states.take(id);
    } catch (error) {
      // The state is kept, so the person can load this page again.
      if (error instanceof HomeportError && error.code === 'vault_locked')
        return { ok: false, failure: toFlowFailure(lockedVault(error)), refusal: undefined, callbackUrl: undefined };
      throw error;
    }
    if (!state) return { ok: false, failure: toFlowFailure(unknownState()), refusal, callbackUrl: undefined };
    const { integrationKey, connectionId, wsClientId } = state;
    let flowContext: FlowContext | undefined;
    try {
      flowContext = await this.#contexts.reopen(state);
      const connection = await work(state, flowContext);
      if (wsClientId !== undefined) this.#notifyPage(wsClientId, { kind: 'success', ...connection });
      return { ok: true, connection, refusal, provider: flowContext.entry.display_name };
    } catch (error) {
      const failure = toFlowFailure(error);
      this.#notifyFailure(wsClientId, failure, { integrationKey, connectionId });
      if (flowContext) await this.#completion.fail(flowContext, failure);
      return { ok: false, failure, refusal, callbackUrl: state.callbackUrl, provider: flowContext?.entry.display_name };
    }
  }
}

/** Some providers return the state under another name. */
function stateOf(query: CallbackQuery): string | undefined {
  return query['state'] || query['payload'] || query['customField'];
}

export interface FormFlowOptions {
  contexts: FlowContexts;
  credentials: CredentialsService;
  completion: FlowCompletion;
  tests: ConnectionTests;
}

export interface FormRequest extends FlowRequest {
  mode: AuthMode;
  /** The values that the end user entered. */
  given: Record<string, unknown>;
}

/** Modes with their own error code for refused credentials (auth-and-connect.md 2.2). */
const REFUSED_AS_INVALID: ReadonlySet<AuthMode> = new Set<AuthMode>(['BILL', 'SIGNATURE']);

/** Error code by mode when the token endpoint cannot be reached; in other modes it stays `provider_unreachable`. */
const UNREACHABLE_AS: Partial<Record<AuthMode, ErrorCode>> = {
  OAUTH2_CC: 'client_credentials_fetch_error',
  TWO_STEP: 'two_step_credentials_fetch_error',
  AWS_SIGV4: 'aws_sigv4_sts_request_failed',
};

/** Connections of modes without a page of the provider (auth-and-connect.md 2.1). */
export class FormFlow {
  readonly #options: FormFlowOptions;

  constructor(options: FormFlowOptions) {
    this.#options = options;
  }

  async submit(request: FormRequest): Promise<FinishedConnection> {
    const context = withScopes(await this.#options.contexts.open(request), request.mode);
    return this.#reportFailure(context, () => this.#connect(context, request));
  }

  /** Creates a connection without a token; the provider sends the token when its marketplace has installed the app. */
  async prepare(request: FlowRequest): Promise<FinishedConnection> {
    const { completion, contexts } = this.#options;
    const context = await contexts.open({ ...request, mode: 'OAUTH2', isOutbound: true });
    const config = { ...context.connectionConfig, pending: true, pendingLog: context.operation.id };
    return this.#reportFailure(context, () =>
      completion.succeed(context, { type: 'OAUTH2', raw: {} }, config, { isPending: true }),
    );
  }

  async #connect(context: FlowContext, request: FormRequest): Promise<FinishedConnection> {
    const { completion, tests } = this.#options;
    const { entry, integration, operation, stored } = context;
    // Providers and functions may repeat entered values in their errors.
    operation.redactSecrets(secretsOf(request.given));
    const { credentials, config } = await this.#issue(context, request);
    const connectionConfig = { ...context.connectionConfig, ...config, ...presetConfig(entry, context.custom) };
    const metadata = stored?.metadata ?? {};
    await tests.check({ entry, integration, credentials, connectionConfig, metadata }, 'interactive');
    return completion.succeed(context, credentials, connectionConfig);
  }

  async #reportFailure(context: FlowContext, work: () => Promise<FinishedConnection>): Promise<FinishedConnection> {
    try {
      return await work();
    } catch (error) {
      const failure = toFlowFailure(error);
      await this.#options.completion.fail(context, failure);
      throw failure.fault ?? error;
    }
  }

  async #issue(context: FlowContext, { given, mode }: FormRequest): Promise<IssuedCredentials> {
    try {
      return await this.#options.credentials.issue(context, { ...given, ...keptRole(context, mode) });
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      if (REFUSED_AS_INVALID.has(mode))
        throw new HomeportError('invalid_credentials', error.message, { status: 400, cause: error });
      const code = error.code === 'provider_unreachable' ? UNREACHABLE_AS[mode] : undefined;
      throw code === undefined ? error : new HomeportError(code, error.message, { cause: error });
    }
  }
}

/**
 * The trust policy of a role names its external id, so a reconnection must use the same one (auth-and-connect.md 2.7).
 */
function keptRole({ stored }: FlowContext, mode: AuthMode): Record<string, unknown> {
  if (mode !== 'AWS_SIGV4' || !stored) return {};
  const { external_id: externalId, region } = stored.connectionConfig;
  return { ...(externalId ? { external_id: externalId } : {}), ...(region ? { region } : {}) };
}

/** Adds the scopes of the integration and the session to the configuration (auth-and-connect.md 2.4). */
function withScopes(context: FlowContext & FlowDefaults, mode: AuthMode): FlowContext {
  if (mode !== 'OAUTH2_CC') return context;
  const { app, authorizationParams, connectionConfig } = context;
  return {
    ...context,
    connectionConfig: {
      ...(app.scopes ? { oauth_scopes: app.scopes } : {}),
      ...connectionConfig,
      ...(authorizationParams ? { authorization_params: authorizationParams } : {}),
    },
  };
}
