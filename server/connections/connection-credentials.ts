import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { StoredConnection } from './connection.ts';
import { areLost, type CachedConnection, type ConnectionRows, endOf } from './connection-cache.ts';
import { ConnectionEndsStore } from './connection-ends.store.ts';
import type { ConnectionRow, ConnectionsStore } from './connections.store.ts';
import type { CredentialsService, IssuedCredentials, StoredCredentials } from './credentials/credentials.service.ts';
import { LastFetchedWriter } from './last-fetched-writer.ts';
import { afterFailure, ConnectionRenewal, healthy, type OpenConnection, type RenewalRequest } from './token-refresh.ts';
import { RenewalJournal } from './unstored-renewals.ts';

/** Rows per transaction. */
const ENDS_AT_ONCE = 500;

interface ConnectionCredentialsOptions {
  database: Database;
  connectionsStore: ConnectionsStore;
  rows: ConnectionRows;
  vault: Vault;
  clock: Clock;
  logger: Logger;
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  credentials: CredentialsService;
  log: OperationLog;
  /** Folder in which renewed credentials are kept until they are stored. */
  journalFolder: string;
  /** Called after each change. */
  onUpdated(connection: ConnectionRow): void;
  /** Called when `unstoredCount` has changed. */
  onUnstoredChanged(): void;
  /** Called for each failed renewal or test, in the transaction that marks the connection. */
  onFailed(tx: Transaction, connection: ConnectionRow, failure: HomeportError): Promise<void>;
}

interface FetchRequest extends Partial<RenewalRequest> {
  /** True for the hub's own requests: the connection then does not count as used (design.md 7.46). */
  isUpkeep?: boolean;
}

/** Usable credentials with the current connection, or the reason why there are none. */
type FetchOutcome =
  | { ok: true; connection: StoredConnection; credentials: StoredCredentials; config: Record<string, unknown> }
  | { ok: false; connection: StoredConnection; failure: HomeportError };

/** Reads credentials of connections: opened, and renewed when they are due. */
export class CredentialReader {
  readonly #options: ConnectionCredentialsOptions;
  readonly #renewal: ConnectionRenewal;
  readonly #fetchMarks: LastFetchedWriter;

  constructor(options: ConnectionCredentialsOptions) {
    this.#options = options;
    const { credentials, integrations, catalog, clock, logger, log, vault, journalFolder } = options;
    this.#renewal = new ConnectionRenewal({
      credentials,
      integrations,
      catalog,
      clock,
      logger,
      log,
      journal: new RenewalJournal({ folder: journalFolder, vault, clock, logger }),
      onUnstoredChanged: () => options.onUnstoredChanged(),
      open: (id) => this.#open(id),
      store: (id, replaces, issued) => this.#storeRenewed(id, replaces, issued),
      fail: (row, failure, operation) => this.noteFailure(row, failure, operation),
    });
    this.#fetchMarks = new LastFetchedWriter({
      clock,
      logger,
      write: (marks) => options.database.transaction((tx) => options.connectionsStore.touchFetched(tx, marks)),
    });
  }

  /** Number of connections whose renewed credentials are held because the database refused them. */
  get unstoredCount(): number {
    return this.#renewal.unstoredCount;
  }

  /** Stores renewed credentials that the last run of the program could not store. */
  async start(): Promise<void> {
    const count = await this.#renewal.recover();
    if (count > 0)
      this.#options.logger.warn({ count }, 'Renewed credentials that the last run could not store are stored now.');
    await this.#findEnds();
  }

  /** Looks when the credentials of rows end that an older version stored. */
  async #findEnds(): Promise<void> {
    const { connectionsStore: connections, database, rows } = this.#options;
    const store = new ConnectionEndsStore();
    for (let after = 0, isDone = false; !isDone; ) {
      const ids = await store.listUnknown(database.reader, after, ENDS_AT_ONCE);
      const found = await connections.listByRowIds(database.reader, ids);
      const ends = found.map((row): [number, number | null] => [
        row.id,
        endOf(row.provider, rows.openCredentials(row)),
      ]);
      if (ends.length > 0) await database.transaction((tx) => store.set(tx, ends));
      after = ids.at(-1) ?? after;
      isDone = ids.length < ENDS_AT_ONCE;
    }
  }

  /** Writes the marks and credentials that are still in memory. */
  async stop(): Promise<void> {
    await this.#renewal.stop();
    await this.#fetchMarks.flush();
  }

  /**
   * Usable credentials and the whole configuration; notes the time of the read. Throws the reason when there are none.
   */
  async fetch(
    connection: StoredConnection,
    request?: FetchRequest,
  ): Promise<{ connection: StoredConnection; credentials: StoredCredentials; config: Record<string, unknown> }> {
    const outcome = await this.tryFetch(connection, request);
    if (!outcome.ok) throw outcome.failure;
    return outcome;
  }

  /** As `fetch`, with the reason as a value. Throws only for a locked vault and for faults of the hub. */
  async tryFetch(
    { integrationId, connectionId }: Pick<StoredConnection, 'integrationId' | 'connectionId'>,
    { isForced = false, wantsAppJwt = false, isOptional = false, isUpkeep = false }: FetchRequest = {},
  ): Promise<FetchOutcome> {
    const row = await this.#getRow({ integrationId, connectionId });
    this.#markFetched(row, !isUpkeep);
    if (areLost(row)) return { ok: false, connection: row, failure: lost() };
    try {
      await this.#renewal.ensure(this.#opened(row), { isForced, wantsAppJwt, isOptional });
    } catch (error) {
      // A locked vault is not a failure of the connection.
      if (!(error instanceof HomeportError) || isVaultLocked(error)) throw error;
      return { ok: false, connection: await this.#readAgain(row, !isUpkeep), failure: error };
    }
    const fresh = await this.#readAgain(row, !isUpkeep);
    return {
      ok: true,
      connection: fresh,
      credentials: this.#options.rows.credentialsOf(fresh),
      config: this.#options.rows.configOf(fresh),
    };
  }

  /**
   * As `fetch`, synchronously and from memory only: undefined when the connection is not in memory, or its credentials
   * are due. The connection is the same object until it changes.
   */
  peek({
    integrationId,
    connectionId,
    isUpkeep = false,
  }: Pick<StoredConnection, 'integrationId' | 'connectionId'> & Pick<FetchRequest, 'isUpkeep'>):
    | { connection: StoredConnection; credentials: StoredCredentials; config: Record<string, unknown> }
    | undefined {
    const row = this.#options.rows.peek(integrationId, connectionId);
    if (!row || areLost(row)) return undefined;
    const opened = this.#opened(row);
    if (!this.#renewal.isFresh(opened, { isForced: false, wantsAppJwt: false, isOptional: false })) return undefined;
    this.#markFetched(row, !isUpkeep);
    return { connection: row, credentials: opened.credentials, config: opened.config };
  }

  /** The row that a renewal stored does not contain the time of this use, which is written later. */
  async #readAgain(row: CachedConnection, isUse: boolean): Promise<CachedConnection> {
    const fresh = await this.#getRow(row);
    if (fresh !== row) this.#markFetched(fresh, isUse);
    return fresh;
  }

  #markFetched(row: CachedConnection, isUse: boolean): void {
    const now = this.#options.clock.now();
    row.lastFetchedAt = now;
    if (isUse) row.lastUsedAt = now;
    this.#fetchMarks.mark(row.id, now, isUse);
  }

  /** The stored credentials, which may have expired. */
  async read(connection: StoredConnection): Promise<StoredCredentials> {
    return this.#options.rows.credentialsOf(await this.#getRow(connection));
  }

  /** The whole connection configuration, including secret fields. */
  async readConfig(connection: StoredConnection): Promise<Record<string, unknown>> {
    return this.#options.rows.configOf(await this.#getRow(connection));
  }

  /** Counts a failed renewal or test, marks the connection and calls `onFailed` (auth-and-connect.md 4.6). */
  async noteFailure(
    connection: ConnectionRow | StoredConnection,
    failure: HomeportError,
    operation: Operation,
  ): Promise<void> {
    const { clock, connectionsStore: connections, database } = this.#options;
    const { integrationId, connectionId } = connection;
    const now = clock.now();
    await database.transaction(async (tx) => {
      const row = await connections.find(tx, integrationId, connectionId);
      if (!row) return;
      await connections.update(tx, row.id, { ...row, ...afterFailure(row, now, failure.code) }, now);
      await connections.upsertError(tx, { id: row.id, type: 'auth', source: '', logId: operation.id, now });
      await this.#options.onFailed(tx, row, failure);
      tx.afterCommit(() => this.#changed(row));
    });
  }

  /** Clears the errors of credentials that were tested and work. */
  async noteSuccess(connection: StoredConnection): Promise<void> {
    if (connection.lastRefreshFailureAt === null && connection.errors.every(({ type }) => type !== 'auth')) return;
    const { clock, connectionsStore: connections, database } = this.#options;
    const now = clock.now();
    await database.transaction(async (tx) => {
      const row = await connections.find(tx, connection.integrationId, connection.connectionId);
      if (!row) return;
      await connections.update(tx, row.id, { ...row, ...healthy(now) }, now);
      await connections.removeErrors(tx, row.id, 'auth', '');
      tx.afterCommit(() => this.#changed(row));
    });
  }

  /** Keeps credentials that were stored meanwhile, for example by a person who connected again. */
  async #storeRenewed(
    connectionRowId: number,
    replaces: string,
    { credentials, config }: IssuedCredentials,
  ): Promise<void> {
    const { clock, connectionsStore: connections, database } = this.#options;
    await database.transaction(
      async (tx) => {
        const row = await connections.findByRowId(tx, connectionRowId);
        if (row?.credentials !== replaces) return;
        const sealed = {
          ...this.#options.rows.sealCredentials(row.id, row.provider, credentials),
          ...(config
            ? this.#options.rows.sealConfig(row.id, row.provider, { ...this.#options.rows.configOf(row), ...config })
            : {}),
        };
        await connections.update(tx, row.id, { ...row, ...sealed, ...healthy(clock.now()) }, clock.now());
        await connections.removeErrors(tx, row.id, 'auth', '');
        tx.afterCommit(() => this.#changed(row));
      },
      { durable: true },
    );
  }

  async #open(connectionRowId: number): Promise<OpenConnection | undefined> {
    const { connectionsStore: connections, database } = this.#options;
    const row = await connections.findByRowId(database.reader, connectionRowId);
    const cached = row && (await this.#options.rows.find(row.integrationId, row.connectionId));
    return cached && this.#opened(cached);
  }

  #opened(row: CachedConnection): OpenConnection {
    return { row, credentials: this.#options.rows.credentialsOf(row), config: this.#options.rows.configOf(row) };
  }

  async #getRow(connection: Pick<StoredConnection, 'integrationId' | 'connectionId'>): Promise<CachedConnection> {
    const row = await this.#options.rows.find(connection.integrationId, connection.connectionId);
    if (!row) throw missingConnection(connection.connectionId);
    return row;
  }

  #changed(row: ConnectionRow): void {
    this.#options.rows.invalidate(row.integrationId, row.connectionId);
    this.#options.onUpdated(row);
  }
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
