import type { Database } from '../../database/database.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { ConnectionRow } from '../../stores/connections-store.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { AuthNews, NewsPlace } from './auth-news.ts';
import type { ConnectionEvent } from './connection-creation.ts';
import type { OnEventRunner } from './on-event-runner.ts';

export interface VerdictOptions {
  database: Database;
  scheduler: Scheduler;
  connections: ConnectionsService;
  onEvents: OnEventRunner;
  news: AuthNews;
}

/** What a refusal needs to know; it outlives the program in the job that follows the connection. */
export interface PendingVerdict {
  /** What a refused overwrite comes to: the old credentials again, or the new ones with an error on them. */
  onRefusal: 'restore' | 'mark';
  /** What the overwrite replaced, its secrets sealed; null for a new connection. */
  replaced: ConnectionRow | null;
  /** When the credentials that are to be judged were stored. */
  storedAt: number;
  logId: string;
}

/** The verdict of `validate-connection` functions on a stored connection (auth-and-connect.md 2.1). */
export class VerdictOfFunctions {
  readonly #options: VerdictOptions;

  constructor(options: VerdictOptions) {
    this.#options = options;
  }

  /** A refused new connection leaves nothing behind; a refused overwrite is undone or marked. Nothing follows either. */
  async give(
    jobId: number,
    place: NewsPlace,
    event: ConnectionEvent,
    verdict: PendingVerdict & { signal?: AbortSignal },
  ): Promise<HomeportError | undefined> {
    const { connections, database, news, onEvents, scheduler } = this.#options;
    const [refusal] = await onEvents.run(place, 'validate-connection', verdict.signal);
    if (!refusal) return undefined;
    const { onRefusal, replaced, logId } = verdict;
    const failure = new HomeportError('connection_validation_failed', refusal.message);
    await database.transaction(
      async (tx) => {
        if (!replaced) await connections.purge(tx, place.connection);
        else if (onRefusal === 'restore') await connections.restore(tx, replaced, logId);
        else await connections.setError(tx, place.connection.id, { type: 'auth', source: '', logId });
        await news.failed(tx, place, event, { type: failure.code, description: failure.message });
        await scheduler.complete(tx, jobId);
      },
      { durable: true },
    );
    return failure;
  }
}
