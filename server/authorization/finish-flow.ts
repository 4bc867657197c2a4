import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionContent, StoredContent } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import {
  type CredentialsService,
  discoveredIssuer,
  type IssuedCredentials,
  isDiscovered,
} from '../connections/credentials/credentials.service.ts';
import type { ConnectionCreation } from '../lifecycle/connection-creation.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import { HomeportError, isHubFault, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import {
  clientOfFlow,
  deletedConnection,
  type FlowContext,
  type FlowContexts,
  mergeConfig,
  moveOverridesToCredentials,
  pickNamed,
  withoutOverrides,
} from './flow-context.ts';
import { type FlowFailure, toFlowFailure } from './flow-failure.ts';
import type { FlowSession, FlowState, FlowStates } from './flow-states.ts';
import { createGithubAppFlow } from './github-app-flow.ts';

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

export type CallbackQuery = Readonly<Record<string, string>>;

/**
 * Parameters with which providers explain a refusal, in the order in which they are shown (auth-and-connect.md 1.6).
 */
const REFUSAL_PARAMS = [
  'error',
  'error_description',
  'error_reason',
  'error_uri',
  'status_code',
  'error_message',
] as const;

/** The error that the provider's page reported; undefined when it reported none. */
function refusalOf(query: CallbackQuery): Record<string, string> | undefined {
  const reasons = REFUSAL_PARAMS.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  return reasons.length === 0 ? undefined : Object.fromEntries(reasons);
}

export interface FinishedConnection {
  integrationKey: string;
  connectionId: string;
  isPending: boolean;
}

export type FinishFlow = ReturnType<typeof createFinishFlow>;

/** The end of every authorization, from the taken state to the connection or the failure. */
export function createFinishFlow({
  contexts,
  states,
  credentials,
  connections,
  connectSessions,
  authEvents,
  creation,
  tests,
  logger,
  notifyPage,
}: {
  contexts: FlowContexts;
  states: FlowStates;
  credentials: CredentialsService;
  connections: ConnectionsService;
  connectSessions: ConnectSessionsService;
  authEvents: AuthEvents;
  creation: ConnectionCreation;
  tests: ConnectionTests;
  logger: Logger;
  notifyPage(wsClientId: string, message: AuthorizationSocketMessage): void;
}) {
  const githubApp = createGithubAppFlow({ credentials, connections, succeed });

  async function finish(
    query: CallbackQuery,
    id: string | undefined,
    work: (state: FlowState, context: FlowContext) => Promise<FinishedConnection>,
  ): Promise<CallbackOutcome> {
    const refusal = refusalOf(query);
    let state: FlowState | undefined;
    try {
      state = id === undefined ? undefined : await states.take(id);
    } catch (error) {
      // The state is kept, so the person can load this page again.
      if (isVaultLocked(error)) return locked(error);
      throw error;
    }
    if (!state) return { ok: false, failure: toFlowFailure(unknownState()), refusal, callbackUrl: undefined };
    const { integrationKey, connectionId, wsClientId } = state;
    let context: FlowContext | undefined;
    try {
      context = await contexts.reopen(state);
      const connection = await work(state, context);
      if (wsClientId !== undefined) notifyPage(wsClientId, { kind: 'success', ...connection });
      return { ok: true, connection, refusal, provider: context.entry.display_name };
    } catch (error) {
      const isKept = isHubFault(error) && (await putBack(id, state));
      if (isKept && isVaultLocked(error)) return locked(error);
      const failure = toFlowFailure(error);
      notifyFailure(wsClientId, failure, { integrationKey, connectionId });
      if (context) await fail(context, failure);
      return { ok: false, failure, refusal, callbackUrl: state.callbackUrl, provider: context?.entry.display_name };
    }
  }

  /** What the provider gave is not lost with a fault of the hub: the same callback finishes the authorization later. */
  async function putBack(id: string | undefined, state: FlowState): Promise<boolean> {
    if (id === undefined) return false;
    try {
      await states.save(id, state);
      return true;
    } catch (error) {
      logger.error({ err: error }, 'an authorization could not be kept; the person has to connect again');
      return false;
    }
  }

  async function connect(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<FinishedConnection> {
    switch (state.authMode) {
      case 'OAUTH2':
      case 'MCP_OAUTH2':
      case 'MCP_OAUTH2_GENERIC': {
        const issued = await exchange(state, context, query);
        return succeed(context, issued, issued.config ?? {});
      }
      case 'CUSTOM':
        return githubApp.finishWithUser(state, context, query, () => exchange(state, context, query));
      case 'OAUTH1':
        return connectOAuth1(state, context, query);
      case 'INSTALL_PLUGIN':
        return connectPlugin(context);
      default:
        throw new HomeportError('wrong_auth_mode', 'This authorization does not return to this address.');
    }
  }

  /** The credentials, and the whole configuration of the connection. */
  async function exchange(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<IssuedCredentials> {
    const fromCallback = pickNamed(query, context.entry.redirect_uri_metadata);
    const { connectionConfig } = state;
    if (isDiscovered(context.entry)) requireIssuer(query, connectionConfig);
    state.issued ??= await credentials.exchangeCode(
      { ...context, connectionConfig: mergeConfig(fromCallback, connectionConfig) },
      {
        client: clientOfFlow(context, connectionConfig),
        code: codeOf(context, query),
        redirectUri: state.callbackUrl,
        codeVerifier: state.codeVerifier,
      },
    );
    const { issued } = state;
    const config = mergeConfig({ ...issued.config, ...fromCallback }, connectionConfig);
    return { ...issued, ...moveOverridesToCredentials(issued.credentials, config) };
  }

  async function connectOAuth1(
    state: FlowState,
    context: FlowContext,
    query: CallbackQuery,
  ): Promise<FinishedConnection> {
    const { oauth_token: key, oauth_verifier: verifier } = query;
    if (!key || !verifier) throw missing('The callback of the provider lacks the token or its verifier', query);
    const token = { key, secret: state.requestTokenSecret ?? '' };
    state.issued ??= await credentials.exchangeOAuth1Token(context, clientOfFlow(context), token, verifier);
    const { issued } = state;
    const config = mergeConfig(pickNamed(query, context.entry.redirect_uri_metadata), state.connectionConfig);
    return succeed(context, issued, withoutOverrides(config));
  }

  async function connectPlugin(context: FlowContext): Promise<FinishedConnection> {
    const issued = await credentials.issue(context, {});
    const { entry, integration, connectionConfig } = context;
    const content = { entry, integration, credentials: issued.credentials, connectionConfig, metadata: {} };
    await tests.check(content, 'interactive');
    return succeed(context, issued, withoutOverrides(connectionConfig));
  }

  /** Creates the connection with the issued credentials and this whole configuration. */
  async function succeed(
    context: FlowContext,
    issued: IssuedCredentials,
    connectionConfig: Record<string, unknown>,
    { isPending = false } = {},
  ): Promise<FinishedConnection> {
    const { environment, integration, entry, connectionId, operation, session } = context;
    // Functions that refuse the connection may repeat secrets in their errors.
    operation.redactSecrets(secretsOf(issued.credentials));
    await creation.create({
      environment,
      integration,
      entry,
      connectionId,
      operation,
      contentFor: (stored: StoredContent | undefined) => toContent(session, issued, connectionConfig, stored),
      isValidated: true,
      onRefusal: 'restore',
      isPending,
    });
    const outcome = session.isReconnecting ? 'renewed' : 'created';
    const connected = { integrationKey: integration.uniqueKey, connectionId };
    await connectSessions.noteSuccess(session.lookupHash, `Connection ${connectionId} was ${outcome}`, connected);
    return { ...connected, isPending };
  }

  function notifyFailure(
    wsClientId: string | undefined,
    { error, socketType }: FlowFailure,
    about: { integrationKey?: string; connectionId?: string | undefined } = {},
  ): void {
    if (wsClientId === undefined) return;
    notifyPage(wsClientId, { kind: 'error', ...about, type: socketType, message: error.message });
  }

  /**
   * Logs the failure and notifies the session and the app. The app was already notified of a refusal by a
   * `validate-connection` function.
   */
  async function fail(context: FlowContext, failure: FlowFailure): Promise<void> {
    const { session, stored } = context;
    const { message, type } = describe(failure);
    context.operation.log({ level: 'error', context: 'auth', message, error: { message, type } });
    connectSessions.noteFailure(session.lookupHash, { message, type });
    // The check runs again, and its result is announced.
    if (type === 'connection_validation_failed' || type === 'validation_unavailable') return;
    const attempt = { ...context, owners: toOwners(session, stored) };
    const event = session.isReconnecting ? 'override' : 'creation';
    await authEvents.attemptFailed(attempt, event, { type, description: message });
  }

  return {
    /**
     * Handles `/oauth/callback`. The state is removed before anything is checked. A callback in another browser than the
     * one that started is only logged: behind a redirector it is normal (auth-and-connect.md 3.5).
     */
    finish(query: CallbackQuery, isSameBrowser: (state: string) => boolean): Promise<CallbackOutcome> {
      const id = stateOf(query);
      return finish(query, id, (state, context) => {
        if (id !== undefined && !isSameBrowser(id))
          context.operation.log({ level: 'info', context: 'auth', message: OTHER_BROWSER });
        return connect(state, context, query);
      });
    },

    /** Handles `/app-auth/connect`, the return from the installation of an app. */
    finishInstallation: (query: CallbackQuery): Promise<CallbackOutcome> =>
      finish(query, query['state'], (state, context) => githubApp.finishInstallation(state, context, query)),

    succeed,
    fail,
    notifyFailure,

    /** Notifies the session of an attempt that failed before its context was complete. */
    refuse({ lookupHash }: Pick<FlowSession, 'lookupHash'>, failure: FlowFailure): void {
      connectSessions.noteFailure(lookupHash, describe(failure));
    },
  };
}

/** Some providers return the state under another name. */
function stateOf(query: CallbackQuery): string | undefined {
  return query['state'] || query['payload'] || query['customField'];
}

function codeOf({ entry }: FlowContext, query: CallbackQuery): string {
  const name = entry.authorization_code_param_in_callback ?? 'code';
  const code = query[name];
  if (code) return code;
  throw missing(`The callback of the provider lacks "${name}"`, query);
}

/** A code from another server must not be sent to this one (RFC 9207). */
function requireIssuer({ iss }: CallbackQuery, connectionConfig: Record<string, unknown>): void {
  const { issuer, isAlwaysNamed } = discoveredIssuer(connectionConfig);
  if (iss === undefined ? !isAlwaysNamed : iss === issuer) return;
  throw new HomeportError('callback_err', 'A different server answered than the one that was asked. Connect again.');
}

function missing(what: string, query: CallbackQuery): HomeportError {
  const reasons = refusalOf(query);
  if (!reasons) return new HomeportError('callback_err', `${what}.`);
  const said = Object.values(reasons).join(', ').replace(/\.$/, '');
  return new HomeportError('callback_err', `The provider did not give access: ${said}.`, { payload: reasons });
}

function describe({ error, webhookErrorType }: FlowFailure): { message: string; type: string } {
  return { message: error.message, type: webhookErrorType };
}

/** The owner of the connection, and where its webhooks go. */
type FlowOwners = Pick<ConnectionContent, 'endUser' | 'tags' | 'webhookUrlOverride'>;

/**
 * What the session sets on a connection; an existing connection keeps what the session does not set
 * (auth-and-connect.md 2.3).
 */
function toOwners(session: FlowSession, stored: StoredContent | undefined): FlowOwners {
  const { endUser, tags, webhookUrlOverride } = session;
  return {
    endUser: endUser ?? stored?.endUser ?? null,
    tags: tags ?? stored?.tags ?? {},
    webhookUrlOverride:
      webhookUrlOverride === undefined ? (stored?.webhookUrlOverride ?? null) : webhookUrlOverride || null,
  };
}

/** The content of the connection. A reconnection does not restore a connection that was deleted meanwhile. */
function toContent(
  session: FlowSession,
  { askedAt, credentials }: IssuedCredentials,
  connectionConfig: Record<string, unknown>,
  stored: StoredContent | undefined,
): ConnectionContent {
  if (session.isReconnecting && !stored) throw deletedConnection();
  const owners = toOwners(session, stored);
  return { credentials, obtainedAt: askedAt, connectionConfig, metadata: stored?.metadata ?? {}, ...owners };
}

function unknownState(): HomeportError {
  return new HomeportError(
    'invalid_state',
    'This authorization is unknown: it has already ended, took longer than an hour, or was started elsewhere. Connect again.',
  );
}

function locked(cause: HomeportError): CallbackOutcome {
  const error = new HomeportError(
    'vault_locked',
    'Homeport is locked, so it cannot finish this sign-in yet. Unlock it, then load this page again.',
    { cause },
  );
  return { ok: false, failure: toFlowFailure(error), refusal: undefined, callbackUrl: undefined };
}
