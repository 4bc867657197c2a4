import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionContent, EndUserCopy, StoredContent } from '../connections/connection.ts';
import type { StoredCredentials } from '../connections/credentials/credentials.service.ts';
import type { ConnectionCreation } from '../lifecycle/connection-creation.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import type { FlowContext } from './flow-context.ts';

interface FlowCompletionOptions {
  creation: ConnectionCreation;
  connectSessions: ConnectSessionsService;
  authEvents: AuthEvents;
}

export interface FinishedConnection {
  integrationKey: string;
  connectionId: string;
  isPending: boolean;
}

/** Ends every authorization: creates the connection, or notifies waiting callers of the failure. */
export class FlowCompletion {
  readonly #options: FlowCompletionOptions;

  constructor(options: FlowCompletionOptions) {
    this.#options = options;
  }

  async succeed(
    context: FlowContext,
    credentials: StoredCredentials,
    connectionConfig: Record<string, unknown>,
    { isPending = false } = {},
  ): Promise<FinishedConnection> {
    const { connectSessions, creation } = this.#options;
    const { environment, integration, entry, connectionId, operation, session } = context;
    // Functions that refuse the connection may repeat secrets in their errors.
    operation.redactSecrets(secretsOf(credentials));
    await creation.create({
      environment,
      integration,
      entry,
      connectionId,
      operation,
      contentFor: (stored: StoredContent | undefined) => toContent(session, credentials, connectionConfig, stored),
      isValidated: true,
      onRefusal: 'restore',
      isPending,
    });
    const outcome = session.isReconnecting ? 'renewed' : 'created';
    connectSessions.noteSuccess(session.lookupHash, `Connection ${connectionId} was ${outcome}`);
    return { integrationKey: integration.uniqueKey, connectionId, isPending };
  }

  /**
   * Logs the failure and notifies the session and the app. The app was already notified of a refusal by a
   * `validate-connection` function.
   */
  async fail(context: FlowContext, failure: FlowFailure): Promise<void> {
    const { authEvents, connectSessions } = this.#options;
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

  /** Notifies the session of an attempt that failed before its context was complete. */
  refuse({ lookupHash }: Pick<FlowSession, 'lookupHash'>, failure: FlowFailure): void {
    this.#options.connectSessions.noteFailure(lookupHash, describe(failure));
  }
}

function describe({ error, webhookErrorType }: FlowFailure): { message: string; type: string } {
  return { message: error.message, type: webhookErrorType };
}

/** The part of a connect session that an authorization stores: the session may end before the provider's callback. */
export interface FlowSession {
  /** Identifies the session. */
  lookupHash: string;
  endUser?: EndUserCopy | undefined;
  tags?: Record<string, string> | undefined;
  webhookUrlOverride?: string | undefined;
  isReconnecting: boolean;
}

/** The owner of the connection, and where its webhooks go. */
type FlowOwners = Pick<ConnectionContent, 'endUser' | 'tags' | 'webhookUrlOverride'>;

export function toFlowSession(session: ConnectSession): FlowSession {
  const { lookupHash, endUser, tags, webhookUrlOverride, reconnect } = session;
  return { lookupHash, endUser, tags, webhookUrlOverride, isReconnecting: reconnect !== undefined };
}

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
  credentials: StoredCredentials,
  connectionConfig: Record<string, unknown>,
  stored: StoredContent | undefined,
): ConnectionContent {
  if (session.isReconnecting && !stored) throw deletedConnection();
  return { credentials, connectionConfig, metadata: stored?.metadata ?? {}, ...toOwners(session, stored) };
}

export function deletedConnection(): HomeportError {
  return new HomeportError('invalid_connection', 'The connection of this session was deleted.');
}

/** A failure, and its type for each receiver. */
export interface FlowFailure {
  error: HomeportError;
  /** Type for the waiting page (auth-and-connect.md 1.6). */
  socketType: string;
  /** Type for the app's webhook (webhooks.md 1.3). */
  webhookErrorType: string;
  /** The error, when it is a fault of the hub and not a refusal. */
  fault?: unknown;
}

const SOCKET_TYPES: Readonly<Record<string, string>> = {
  missing_provider_config_key: 'no_provider_config_key',
  unknown_provider_config: 'provider_config_err',
  provider_config_err: 'provider_config_err',
  unknown_provider_template: 'unknown_config_key',
  invalid_auth_mode: 'auth_mode_err',
  wrong_auth_mode: 'auth_mode_err',
  missing_connection_config: 'url_param_err',
  token_exchange_failed: 'unknown_err',
  unable_to_parse_token_response: 'unknown_err',
  client_registration_failed: 'unknown_err',
  mcp_discovery_failed: 'unknown_err',
  provider_unreachable: 'unknown_err',
  generic_error_support: 'unknown_err',
};

const WEBHOOK_ERROR_TYPES: Readonly<Record<string, string>> = {
  callback_err: 'invalid_callback',
  token_exchange_failed: 'unknown',
  provider_unreachable: 'unknown',
  generic_error_support: 'unknown',
};

/** Errors other than HomeportError become `generic_error_support`, so that their text does not reach the end user. */
export function toFlowFailure(thrown: unknown): FlowFailure {
  if (!(thrown instanceof HomeportError)) {
    const error = new HomeportError('generic_error_support', UNEXPECTED_ERROR);
    return { error, socketType: 'unknown_err', webhookErrorType: 'unknown', fault: thrown };
  }
  const error = thrown.code === 'missing_connection_config' ? asUrlParam(thrown) : thrown;
  return {
    error,
    socketType: SOCKET_TYPES[error.code] ?? error.code,
    webhookErrorType: WEBHOOK_ERROR_TYPES[error.code] ?? error.code,
  };
}

export function unknownState(): HomeportError {
  return new HomeportError(
    'invalid_state',
    'This authorization is unknown: it has already ended, took longer than an hour, or was started elsewhere. Connect again.',
  );
}

export function lockedVault(cause: HomeportError): HomeportError {
  return new HomeportError(
    'vault_locked',
    'Homeport is locked, so it cannot finish this sign-in yet. Unlock it, then load this page again.',
    { cause },
  );
}

/** Authorizations have their own code for a missing value of an address (auth-and-connect.md 1.6). */
function asUrlParam(error: HomeportError): HomeportError {
  return new HomeportError('url_param_err', error.message, { cause: error });
}
