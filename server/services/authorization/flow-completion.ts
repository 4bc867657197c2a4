import { HomeportError } from '../../lib/homeport-error.ts';
import { secretsOf } from '../../lib/secrets.ts';
import type { ConnectSession } from '../connect-sessions/connect-session.ts';
import type { ConnectSessionsService } from '../connect-sessions/connect-sessions-service.ts';
import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionContent, EndUserCopy, StoredContent } from '../connections/connection.ts';
import type { StoredCredentials } from '../credentials/credentials-service.ts';
import type { ConnectionCreation } from '../lifecycle/connection-creation.ts';
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

/** The end of every sign-in: the connection is made, or waiting callers are notified of its failure. */
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
    // Functions that refuse the connection may repeat them.
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
    const made = session.isReconnecting ? 'renewed' : 'created';
    connectSessions.noteSuccess(session.lookupHash, `Connection ${connectionId} was ${made}`);
    return { integrationKey: integration.uniqueKey, connectionId, isPending };
  }

  /** A refusal by a `validate-connection` function has been reported already. */
  async fail(flowContext: FlowContext, error: unknown, type?: string): Promise<void> {
    const { authEvents, connectSessions } = this.#options;
    const failure = describe(error, type);
    flowContext.operation.log({ level: 'error', context: 'auth', message: failure.message, error: failure });
    connectSessions.noteFailure(flowContext.session.lookupHash, failure);
    if (failure.type === 'connection_validation_failed') return;
    const { session, stored } = flowContext;
    const attempt = { ...flowContext, owners: toOwners(session, stored) };
    await authEvents.attemptFailed(attempt, session.isReconnecting ? 'override' : 'creation', {
      type: failure.type,
      description: failure.message,
    });
  }

  /** An attempt that failed before it had a context is known to its session only. */
  refuse({ lookupHash }: Pick<FlowSession, 'lookupHash'>, error: unknown, type?: string): void {
    this.#options.connectSessions.noteFailure(lookupHash, describe(error, type));
  }
}

function describe(error: unknown, type: string | undefined): { message: string; type: string } {
  if (error instanceof HomeportError) return { message: error.message, type: type ?? error.code };
  return { message: 'Something went wrong in the hub; its log has more.', type: type ?? 'unknown' };
}

/** What of a connect session a sign-in takes along: the session itself may end before the provider comes back. */
export interface FlowSession {
  /** Names the session. */
  lookupHash: string;
  endUser?: EndUserCopy | undefined;
  tags?: Record<string, string> | undefined;
  webhookUrlOverride?: string | undefined;
  isReconnecting: boolean;
}

/** The owner of the connection, and who is notified. */
type FlowOwners = Pick<ConnectionContent, 'endUser' | 'tags' | 'webhookUrlOverride'>;

export function toFlowSession(session: ConnectSession): FlowSession {
  const { lookupHash, endUser, tags, webhookUrlOverride, reconnect } = session;
  return { lookupHash, endUser, tags, webhookUrlOverride, isReconnecting: reconnect !== undefined };
}

/** What the session sets of a connection; of an existing one stays what it does not set (auth-and-connect.md 2.3). */
function toOwners(session: FlowSession, stored: StoredContent | undefined): FlowOwners {
  const { endUser, tags, webhookUrlOverride } = session;
  return {
    endUser: endUser ?? stored?.endUser ?? null,
    tags: tags ?? stored?.tags ?? {},
    webhookUrlOverride:
      webhookUrlOverride === undefined ? (stored?.webhookUrlOverride ?? null) : webhookUrlOverride || null,
  };
}

/** What the connection holds. A renewal does not bring back a connection that was deleted meanwhile. */
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

/** A failure under the names that its three readers know. */
export interface FlowFailure {
  error: HomeportError;
  /** For the page that waits (auth-and-connect.md 1.6). */
  socketType: string;
  /** For the application's webhook (webhooks.md 1.3). */
  newsType: string;
  /** What is no refusal but a fault of the hub. */
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

const NEWS_TYPES: Readonly<Record<string, string>> = {
  callback_err: 'invalid_callback',
  token_exchange_failed: 'unknown',
  provider_unreachable: 'unknown',
  generic_error_support: 'unknown',
};

export function toFlowFailure(thrown: unknown): FlowFailure {
  if (!(thrown instanceof HomeportError)) {
    const error = new HomeportError('generic_error_support', 'Something went wrong in the hub; its log has more.');
    return { error, socketType: 'unknown_err', newsType: 'unknown', fault: thrown };
  }
  const error = thrown.code === 'missing_connection_config' ? asUrlParam(thrown) : thrown;
  return {
    error,
    socketType: SOCKET_TYPES[error.code] ?? error.code,
    newsType: NEWS_TYPES[error.code] ?? error.code,
  };
}

export function unknownState(): HomeportError {
  return new HomeportError(
    'invalid_state',
    'This sign-in is not known: it was finished already, took longer than an hour, or was begun elsewhere. Connect again.',
  );
}

/** The name that sign-ins have for a value that an address lacks. */
function asUrlParam(error: HomeportError): HomeportError {
  return new HomeportError('url_param_err', error.message, { cause: error });
}
