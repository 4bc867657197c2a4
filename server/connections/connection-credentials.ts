import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts';
import type { StoredConnection } from './connection.ts';
import { areLost, type CachedConnection, type ConnectionCache, endOf } from './connection-cache.ts';
import { ConnectionEndsStore } from './connection-status.store.ts';
import type { ConnectionsStore } from './connections.store.ts';
import type { StoredCredentials } from './credentials/credentials.service.ts';
import type { Renewal, RenewalRequest } from './renewal.ts';
import type { RenewalJournal } from './renewal-journal.ts';

/** Rows per transaction. */
const ENDS_AT_ONCE = 500;

type ConnectionKey = Pick<StoredConnection, 'integrationId' | 'connectionId'>;

export interface FetchRequest extends Partial<RenewalRequest> {
  /** True for the hub's own requests: the connection then does not count as used (design.md 7.46). */
  isUpkeep?: boolean;
}

/** Usable credentials with the current connection, and the whole configuration. */
export interface FetchedCredentials {
  connection: StoredConnection;
  credentials: StoredCredentials;
  config: Record<string, unknown>;
}

/** The reason is a value when there are no usable credentials. */
type FetchOutcome =
  | ({ ok: true } & FetchedCredentials)
  | { ok: false; connection: StoredConnection; failure: HomeportError };

/** Reads credentials of connections: opened, and renewed when they are due. */
export function createConnectionCredentials({
  database,
  connectionsStore,
  rows,
  renewal,
  journal,
  clock,
  logger,
}: {
  database: Database;
  connectionsStore: ConnectionsStore;
  rows: ConnectionCache;
  renewal: Renewal;
  journal: RenewalJournal;
  clock: Clock;
  logger: Logger;
}) {
  const fetchMarks = new LastFetchedWriter({
    clock,
    logger,
    write: (marks) => database.transaction((tx) => connectionsStore.touchFetched(tx, marks)),
  });

  /**
   * As `fetch`, with the reason as a value; at once when nothing must be read or renewed. Throws only for a locked vault
   * and for faults of the hub.
   */
  function tryFetch(key: ConnectionKey, request: FetchRequest = {}): MaybePromise<FetchOutcome> {
    const known = peek(key, request);
    return known ? { ok: true, ...known } : fetchWaiting(key, request);
  }

  function peek(
    { integrationId, connectionId }: ConnectionKey,
    { isForced = false, wantsAppJwt = false, isOptional = false, isUpkeep = false }: FetchRequest = {},
  ): FetchedCredentials | undefined {
    const row = rows.peek(integrationId, connectionId);
    if (!row || areLost(row) || !renewal.isFresh(row, { isForced, wantsAppJwt, isOptional })) return undefined;
    const opened = openRow(row);
    markFetched(row, !isUpkeep);
    return opened;
  }

  async function fetchWaiting(
    key: ConnectionKey,
    { isForced = false, wantsAppJwt = false, isOptional = false, isUpkeep = false }: FetchRequest,
  ): Promise<FetchOutcome> {
    const row = await getRow(key);
    markFetched(row, !isUpkeep);
    if (areLost(row)) return { ok: false, connection: row, failure: lost() };
    try {
      const own = await renewal.ensureFresh(row, { isForced, wantsAppJwt, isOptional });
      const connection = own ?? (await readAgain(row, !isUpkeep));
      return { ok: true, ...openRow(connection) };
    } catch (error) {
      // A locked vault is not a failure of the connection.
      if (!(error instanceof HomeportError) || isVaultLocked(error)) throw error;
      return { ok: false, connection: await readAgain(row, !isUpkeep), failure: error };
    }
  }

  function openRow(row: CachedConnection): FetchedCredentials {
    return { connection: row, credentials: rows.credentialsOf(row), config: rows.configOf(row) };
  }

  /** The row that a renewal stored does not contain the time of this use, which is written later. */
  function readAgain(row: CachedConnection, isUse: boolean): MaybePromise<CachedConnection> {
    return andThen(getRow(row), (fresh) => {
      if (fresh !== row) markFetched(fresh, isUse);
      return fresh;
    });
  }

  function markFetched(row: CachedConnection, isUse: boolean): void {
    const now = clock.now();
    row.lastFetchedAt = now;
    if (isUse) row.lastUsedAt = now;
    fetchMarks.mark(row.id, now, isUse);
  }

  function getRow({ integrationId, connectionId }: ConnectionKey): MaybePromise<CachedConnection> {
    return andThen(rows.find(integrationId, connectionId), (row) => {
      if (!row) throw missingConnection(connectionId);
      return row;
    });
  }

  /** Looks when the credentials of rows end that an older version stored. */
  async function findEnds(): Promise<void> {
    const store = new ConnectionEndsStore();
    for (let after = 0, isDone = false; !isDone; ) {
      const ids = await store.listUnknown(database.reader, after, ENDS_AT_ONCE);
      const found = await connectionsStore.listByRowIds(database.reader, ids);
      const ends = found.map((row): [number, number | null] => [
        row.id,
        endOf(row.provider, rows.openCredentials(row)),
      ]);
      if (ends.length > 0) await database.transaction((tx) => store.set(tx, ends));
      after = ids.at(-1) ?? after;
      isDone = ids.length < ENDS_AT_ONCE;
    }
  }

  return {
    /** Number of connections whose renewed credentials are held because the database refused them. */
    get unstoredCount(): number {
      return journal.unstoredCount;
    },

    /** Stores renewed credentials that the last run of the program could not store. */
    async start(): Promise<void> {
      const count = await journal.recover();
      if (count > 0) logger.warn({ count }, 'Renewed credentials that the last run could not store are stored now.');
      await findEnds();
    },

    /** Writes the marks and credentials that are still in memory. */
    async stop(): Promise<void> {
      await journal.stop();
      await fetchMarks.flush();
    },

    /**
     * Usable credentials and the whole configuration; notes the time of the read. Throws the reason when there are
     * none.
     */
    async fetch(key: ConnectionKey, request?: FetchRequest): Promise<FetchedCredentials> {
      const outcome = await tryFetch(key, request);
      if (!outcome.ok) throw outcome.failure;
      return outcome;
    },
    tryFetch,

    /**
     * As `fetch`, synchronously and from memory only: undefined when the connection is not in memory, or its
     * credentials are due. The connection is the same object until it changes.
     */
    peek,

    /** The stored credentials, which may have expired. */
    async read(key: ConnectionKey): Promise<StoredCredentials> {
      return rows.credentialsOf(await getRow(key));
    },

    /** The whole connection configuration, including secret fields. */
    async readConfig(key: ConnectionKey): Promise<Record<string, unknown>> {
      return rows.configOf(await getRow(key));
    },

    noteFailure: renewal.noteFailure,
    noteSuccess: renewal.noteSuccess,
  };
}

function lost(): HomeportError {
  return new HomeportError(
    'connection_refresh_exhausted',
    'The credentials were lost with the master key. Connect the account again.',
  );
}

export function missingConnection(connectionId: string): HomeportError {
  return new HomeportError('not_found', `There is no connection "${connectionId}".`);
}

/** `usedAt` is null when only the hub itself read the connection. */
export type FetchMark = [id: number, fetchedAt: number, usedAt: number | null];

const WRITE_MARKS_AFTER_MS = 1000;

/**
 * Collects the times "last fetched" and "last used" of connections in memory and writes them together, so that a read
 * does not cost a write. A crash loses the times of the last second, which is harmless.
 */
export class LastFetchedWriter {
  /** Times that are not written yet, by row id. */
  readonly #marks = new Map<number, { fetchedAt: number; usedAt: number | null }>();
  readonly #write: (marks: FetchMark[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: {
    write: (marks: FetchMark[]) => Promise<void>;
    clock: Clock;
    logger: Logger;
  }) {
    this.#write = options.write;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  mark(id: number, at: number, isUse: boolean): void {
    this.#marks.set(id, { fetchedAt: at, usedAt: isUse ? at : (this.#marks.get(id)?.usedAt ?? null) });
    this.#timer ??= this.#clock.after(WRITE_MARKS_AFTER_MS, () => void this.flush());
  }

  /** Resolves when all times that were marked before are written, also those of a write in progress; never rejects. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    // One write after the other: an older time must not replace a newer one.
    this.#writing = this.#writing.then(() => this.#writeMarks());
    return this.#writing;
  }

  async #writeMarks(): Promise<void> {
    if (this.#marks.size === 0) return;
    const marks = [...this.#marks].map(([id, { fetchedAt, usedAt }]): FetchMark => [id, fetchedAt, usedAt]);
    this.#marks.clear();
    try {
      await this.#write(marks);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the times of the last reads could not be written');
    }
  }
}
