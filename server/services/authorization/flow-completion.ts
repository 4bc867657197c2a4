import { HomeportError } from '../../lib/homeport-error.ts';
import { secretsOf } from '../../lib/secrets.ts';
import type { ConnectSessionsService } from '../connect-sessions/connect-sessions-service.ts';
import type { StoredContent } from '../connections/connection.ts';
import type { StoredCredentials } from '../credentials/credentials-service.ts';
import type { AuthNews } from '../lifecycle/auth-news.ts';
import type { ConnectionCreation } from '../lifecycle/connection-creation.ts';
import type { FlowPlace } from './flow-place.ts';
import { type FlowSession, toContent, toOwners } from './flow-session.ts';

export interface FlowCompletionOptions {
  creation: ConnectionCreation;
  connectSessions: ConnectSessionsService;
  news: AuthNews;
}

export interface FinishedConnection {
  integrationKey: string;
  connectionId: string;
  isPending: boolean;
}

/** The end of every sign-in: the connection is made, or its failure is told to those who wait for it. */
export class FlowCompletion {
  readonly #options: FlowCompletionOptions;

  constructor(options: FlowCompletionOptions) {
    this.#options = options;
  }

  async succeed(
    place: FlowPlace,
    credentials: StoredCredentials,
    connectionConfig: Record<string, unknown>,
    { isPending = false } = {},
  ): Promise<FinishedConnection> {
    const { connectSessions, creation } = this.#options;
    const { environment, integration, entry, connectionId, operation, session } = place;
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

  /** A refusal by a `validate-connection` function has been told already. */
  async fail(place: FlowPlace, error: unknown, type?: string): Promise<void> {
    const { connectSessions, news } = this.#options;
    const failure = describe(error, type);
    place.operation.log({ level: 'error', context: 'auth', message: failure.message, error: failure });
    connectSessions.noteFailure(place.session.lookupHash, failure);
    if (failure.type === 'connection_validation_failed') return;
    const { session, stored } = place;
    const attempt = { ...place, owners: toOwners(session, stored) };
    await news.attemptFailed(attempt, session.isReconnecting ? 'override' : 'creation', {
      type: failure.type,
      description: failure.message,
    });
  }

  /** Of an attempt that never got a place only its session knows. */
  refuse({ lookupHash }: Pick<FlowSession, 'lookupHash'>, error: unknown, type?: string): void {
    this.#options.connectSessions.noteFailure(lookupHash, describe(error, type));
  }
}

function describe(error: unknown, type: string | undefined): { message: string; type: string } {
  if (error instanceof HomeportError) return { message: error.message, type: type ?? error.code };
  return { message: 'Something went wrong in the hub; its log has more.', type: type ?? 'unknown' };
}
