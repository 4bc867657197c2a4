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
import type { Logger } from '../platform/lib/logger.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { SessionsOfPerson } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import { createDeviceFlow } from './device-flow.ts';
import {
  type AuthorizationSocketMessage,
  createFinishFlow,
  type FinishedConnection,
  type FinishFlow,
} from './finish-flow.ts';
import {
  createFlowContexts,
  type FlowContext,
  type FlowContexts,
  type FlowDefaults,
  type FlowRequest,
} from './flow-context.ts';
import { toFlowFailure } from './flow-failure.ts';
import { createFlowStates } from './flow-states.ts';
import { createPendingInstallations } from './github-app-flow.ts';
import { createRedirectFlow, type Redirection } from './redirect-flow.ts';

export { buildAuthorizationUrl } from './authorization-url.ts';
export type { DeviceSignIn } from './device-flow.ts';
export type { AuthorizationSocketMessage, CallbackOutcome, CallbackQuery } from './finish-flow.ts';

export interface RedirectRequest extends FlowRequest {
  /** Client credentials that replace the integration's. */
  credentials: Record<string, string>;
  authorizationParams: Record<string, string>;
  wsClientId: string | undefined;
}

export type AuthorizationService = ReturnType<typeof createAuthorizationService>;

/**
 * End users connect accounts: on the provider's page, or with credentials that they enter (auth-and-connect.md 2 and
 * 3).
 */
export function createAuthorizationService({
  database,
  vault,
  clock,
  ids,
  logger,
  log,
  catalog,
  environments,
  integrations,
  credentials,
  connections,
  connectSessions,
  authEvents,
  creation,
  tests,
  registration,
  publicBase,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
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
}) {
  let notifyPage: (wsClientId: string, message: AuthorizationSocketMessage) => void = () => {};
  const contexts = createFlowContexts({ catalog, environments, integrations, connections, connectSessions, log });
  const states = createFlowStates({ database, vault, clock, ids });
  const flowEnd = createFinishFlow({
    contexts,
    states,
    credentials,
    connections,
    connectSessions,
    authEvents,
    creation,
    tests,
    logger,
    notifyPage: (wsClientId, message) => notifyPage(wsClientId, message),
  });
  const { fail, finish, finishInstallation, notifyFailure, refuse, succeed } = flowEnd;
  const redirect = createRedirectFlow({ credentials, states, registration, ids });
  const form = createFormFlow({ contexts, credentials, tests, succeed, fail });
  const device = createDeviceFlow({
    contexts,
    states,
    credentials,
    registration,
    connectSessions,
    clock,
    logger,
    flowEnd,
    callbackUrl: (environment) => callbackUrl(environment),
  });
  const pending = createPendingInstallations({ catalog, integrations, connections, credentials, log, succeed });

  /** The callback address, as it must be registered with providers. */
  const callbackUrl = ({ settings }: Environment): string => callbackUrlOf(settings.callbackUrl, publicBase());

  /** Where the hub describes itself as a client. */
  const documentUrl = ({ uuid }: Environment): string => `${publicBase()}/oauth/clients/${uuid}`;
  /** Undefined where providers cannot read it. */
  const publicDocumentUrl = (environment: Environment): string | undefined =>
    publicBase().startsWith('https:') ? documentUrl(environment) : undefined;

  return {
    callbackUrl,
    /** The client id metadata document of an environment; undefined for an unknown one. */
    clientDocument(uuid: string): Record<string, unknown> | undefined {
      const environment = environments.list().find((one) => one.uuid === uuid);
      return environment && describeHub(documentUrl(environment), callbackUrl(environment));
    },
    finish,
    finishInstallation,
    /** Sign-ins with a code that a person enters at the provider. */
    device,
    stop: device.stop,
    /** Creates a connection from what the end user entered. */
    submit: form.submit,
    /** Creates a connection without a token; the provider sends the token when its marketplace has installed the app. */
    prepare: form.prepare,
    /** Handles a webhook of the provider that reports an installed app. */
    completeInstallation: pending.complete,

    /** Sets the receiver of messages for waiting pages. */
    connect({ notify }: { notify: typeof notifyPage }): void {
      notifyPage = notify;
    },

    /** Resolves to the address for the end user. A waiting page is notified of a failure, too. */
    async start(request: RedirectRequest): Promise<Redirection> {
      const { wsClientId, integrationKey } = request;
      let context: (FlowContext & FlowDefaults) | undefined;
      try {
        context = await contexts.open(request);
        return await redirect.start({
          context,
          callbackUrl: callbackUrl(context.environment),
          documentUrl: publicDocumentUrl(context.environment),
          credentials: request.credentials,
          authorizationParams: request.authorizationParams,
          wsClientId,
        });
      } catch (error) {
        const failure = toFlowFailure(error);
        // Notify the page before writing logs.
        notifyFailure(wsClientId, failure, { integrationKey, connectionId: context?.connectionId });
        if (context) await fail(context, failure);
        else refuse(request.session, failure);
        throw failure.fault ?? failure.error;
      }
    },

    /** Notifies the waiting page of an error in the checks before an authorization. */
    notifyRefusal: (wsClientId: string | undefined, error: unknown): void =>
      notifyFailure(wsClientId, toFlowFailure(error)),

    /** Removes authorizations that a deletion made useless; resolves to whether one of the person is in progress. */
    removeOfPerson: (of: Omit<SessionsOfPerson, 'listUnfinished'>): Promise<boolean> => states.removeOfPerson(of),
  };
}

/** The hub's client id metadata document (draft-ietf-oauth-client-id-metadata-document). */
function describeHub(address: string, callback: string): Record<string, unknown> {
  return {
    client_id: address,
    client_name: 'Homeport',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
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
export function createFormFlow({
  contexts,
  credentials,
  tests,
  succeed,
  fail,
}: {
  contexts: FlowContexts;
  credentials: CredentialsService;
  tests: ConnectionTests;
  succeed: FinishFlow['succeed'];
  fail: FinishFlow['fail'];
}) {
  async function connect(context: FlowContext, request: FormRequest): Promise<FinishedConnection> {
    const { entry, integration, operation, stored } = context;
    // Providers and functions may repeat entered values in their errors.
    operation.redactSecrets(secretsOf(request.given));
    const issued = await issue(context, request);
    const connectionConfig = { ...context.connectionConfig, ...issued.config, ...presetConfig(entry, context.custom) };
    const metadata = stored?.metadata ?? {};
    await tests.check(
      { entry, integration, credentials: issued.credentials, connectionConfig, metadata },
      'interactive',
    );
    return succeed(context, issued, connectionConfig);
  }

  async function reportFailure(
    context: FlowContext,
    work: () => Promise<FinishedConnection>,
  ): Promise<FinishedConnection> {
    try {
      return await work();
    } catch (error) {
      const failure = toFlowFailure(error);
      await fail(context, failure);
      throw failure.fault ?? error;
    }
  }

  async function issue(context: FlowContext, { given, mode }: FormRequest): Promise<IssuedCredentials> {
    try {
      return await credentials.issue(context, { ...given, ...keptRole(context, mode) });
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      if (REFUSED_AS_INVALID.has(mode))
        throw new HomeportError('invalid_credentials', error.message, { status: 400, cause: error });
      const code = error.code === 'provider_unreachable' ? UNREACHABLE_AS[mode] : undefined;
      throw code === undefined ? error : new HomeportError(code, error.message, { cause: error });
    }
  }

  return {
    async submit(request: FormRequest): Promise<FinishedConnection> {
      const context = withScopes(await contexts.open(request), request.mode);
      return reportFailure(context, () => connect(context, request));
    },

    async prepare(request: FlowRequest): Promise<FinishedConnection> {
      const context = await contexts.open({ ...request, mode: 'OAUTH2', isOutbound: true });
      const config = { ...context.connectionConfig, pending: true, pendingLog: context.operation.id };
      const none = { credentials: { type: 'OAUTH2', raw: {} } };
      return reportFailure(context, () => succeed(context, none, config, { isPending: true }));
    },
  };
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
