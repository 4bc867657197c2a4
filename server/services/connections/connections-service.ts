import { LRUCache } from 'lru-cache';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { PatchConnectionBody } from '../../contract/api/connections.ts';
import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import {
  ConnectionOverviewsStore,
  type ConnectionStatus,
  type IntegrationUsage,
  type OverviewFilter,
} from '../../stores/connection-overviews-store.ts';
import type { ConnectionFilter, ConnectionRow, ConnectionsStore } from '../../stores/connections-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { StoredCredentials } from '../credentials/stored-credentials.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Connection, ConnectionContent, ConnectionError, EndUserCopy } from './connection.ts';
import {
  type ConnectionOverview,
  isRefreshable,
  type OverviewPage,
  type OverviewQuery,
  toOverview,
} from './connection-overview.ts';
import { mergeTags, toEndUserCopy } from './connection-tags.ts';
import { FetchMarks } from './fetch-marks.ts';
import { splitConfig } from './secret-config.ts';

export { mergeTags, toEndUserCopy } from './connection-tags.ts';

export interface ConnectionsServiceOptions {
  database: Database;
  connections: ConnectionsStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  catalog: { find(name: string): ProviderEntry | undefined };
  /** Told after each change. */
  onChanged(connection: ChangedConnection, change: 'created' | 'updated' | 'deleted'): void;
}

export type ChangedConnection = Pick<ConnectionRow, 'environmentId' | 'integrationKey' | 'connectionId'>;

/** A row with the connection's active errors, as the cache keeps it. */
type CachedConnection = ConnectionRow & { errors: ConnectionError[] };

/** Connections kept in memory. */
const CACHED_CONNECTIONS = 5000;

/** Connections: reading, metadata, tags, end-user copies. Creation and deletion with their effects are `lifecycle`'s. */
export class ConnectionsService {
  readonly #options: ConnectionsServiceOptions;
  /** This process is the only writer: every change below drops what it touched. */
  readonly #cache = new LRUCache<string, CachedConnection>({ max: CACHED_CONNECTIONS });
  /** Credentials as last opened; gone with their row, which every change drops. */
  readonly #opened = new WeakMap<CachedConnection, StoredCredentials>();
  readonly #fetchMarks: FetchMarks;
  readonly #overviews = new ConnectionOverviewsStore();
  /** Moves with every change, so that a read which began before the change does not cache what it saw. */
  #generation = 0;

  constructor(options: ConnectionsServiceOptions) {
    this.#options = options;
    this.#fetchMarks = new FetchMarks({
      clock: options.clock,
      logger: options.logger,
      write: (marks) => options.database.transaction((tx) => options.connections.touchFetched(tx, marks)),
    });
  }

  /** Writes what is still in memory. */
  stop(): Promise<void> {
    return this.#fetchMarks.flush();
  }

  async find(integration: Pick<Integration, 'id'>, connectionId: string): Promise<Connection | undefined> {
    return this.#findRow(integration.id, connectionId);
  }

  async findByRowId(id: number): Promise<Connection | undefined> {
    const row = await this.#options.connections.findByRowId(this.#options.database.reader, id);
    return row && this.#findRow(row.integrationId, row.connectionId);
  }

  async list(filter: ConnectionFilter): Promise<Connection[]> {
    const { connections, database } = this.#options;
    const rows = await connections.list(database.reader, filter);
    const errors = await connections.listErrors(
      database.reader,
      rows.map((row) => row.id),
    );
    const errorsById = Map.groupBy(errors, (error) => error.connectionRowId);
    return rows.map((row) => ({ ...row, errors: errorsById.get(row.id) ?? [] }));
  }

  count(filter: ConnectionFilter): Promise<number> {
    return this.#options.connections.count(this.#options.database.reader, filter);
  }

  /** One page as lists show it; later pages leave out what was created since its snapshot. */
  async listOverviews(query: OverviewQuery): Promise<OverviewPage> {
    const { reader } = this.#options.database;
    const snapshot = query.snapshot ?? (await this.#overviews.getSnapshot(reader));
    const filter = { ...query, snapshot };
    const [rows, total] = await Promise.all([
      this.#overviews.list(reader, filter, query),
      this.#overviews.count(reader, filter),
    ]);
    const ids = rows.map((row) => row.id);
    const [connections, errors] = await Promise.all([
      this.#options.connections.listByRowIds(reader, ids),
      this.#options.connections.listErrors(reader, ids),
    ]);
    const byId = new Map(connections.map((row) => [row.id, row]));
    const errorsById = Map.groupBy(errors, (error) => error.connectionRowId);
    const overviews = rows.flatMap((row) => {
      const connection = byId.get(row.id);
      return connection
        ? [toOverview(row, { ...connection, errors: errorsById.get(row.id) ?? [] }, this.#isRefreshable(connection))]
        : [];
    });
    return { connections: overviews, total, snapshot };
  }

  async findOverview(
    integration: Pick<Integration, 'id'>,
    connectionId: string,
  ): Promise<ConnectionOverview | undefined> {
    const connection = await this.#findRow(integration.id, connectionId);
    const row = connection && (await this.#overviews.find(this.#options.database.reader, connection.id));
    return row && toOverview(row, connection, this.#isRefreshable(connection));
  }

  countByStatus(filter: OverviewFilter): Promise<Map<ConnectionStatus, number>> {
    return this.#overviews.countByStatus(this.#options.database.reader, filter);
  }

  /** Connections, failing ones and the last read, of each integration that has connections. */
  listUsage(environmentId: number): Promise<IntegrationUsage[]> {
    return this.#overviews.listUsage(this.#options.database.reader, environmentId);
  }

  countByIntegration(environmentId: number): Promise<Map<number, number>> {
    return this.#options.connections.countByIntegration(this.#options.database.reader, environmentId);
  }

  listOfIntegration(integrationId: number): Promise<Array<{ id: number; connectionId: string }>> {
    return this.#options.connections.listOfIntegration(this.#options.database.reader, integrationId);
  }

  /** Credentials and whole configuration for use; notes that they were read. */
  async fetch(connection: Connection): Promise<{ credentials: StoredCredentials; config: Record<string, unknown> }> {
    const [credentials, config] = await Promise.all([this.readCredentials(connection), this.readConfig(connection)]);
    this.#markFetched(connection);
    return { credentials, config };
  }

  #markFetched(connection: Connection): void {
    const now = this.#options.clock.now();
    const cached = this.#cache.get(cacheKey(connection.integrationId, connection.connectionId));
    if (cached) cached.lastFetchedAt = now;
    this.#fetchMarks.mark(connection.id, now);
  }

  async readCredentials(connection: Connection): Promise<StoredCredentials> {
    const row = await this.#getRow(connection);
    const known = this.#opened.get(row);
    if (known) return known;
    const opened = this.#options.vault.openJson<StoredCredentials>(
      row.credentials,
      secretContext(row.id, 'credentials'),
    );
    this.#opened.set(row, Object.freeze(opened));
    return opened;
  }

  /** The whole connection configuration, secret fields included. */
  async readConfig(connection: Connection): Promise<Record<string, unknown>> {
    const row = await this.#getRow(connection);
    if (row.sealedConfig === null) return row.connectionConfig;
    const secret = this.#options.vault.openJson<Record<string, unknown>>(
      row.sealedConfig,
      secretContext(row.id, 'config'),
    );
    return { ...row.connectionConfig, ...secret };
  }

  /**
   * Stores a new connection, or overwrites the one of that id: the numeric id stays, refresh counters and auth
   * errors are cleared. Returns its row id and whether it is new.
   */
  async save(
    tx: Writable,
    integration: Integration,
    connectionId: string,
    contentFor: (storedEndUser: EndUserCopy | null) => ConnectionContent,
  ): Promise<{ id: number; isNew: boolean }> {
    const { clock, connections } = this.#options;
    const now = clock.now();
    const existing = await connections.find(tx, integration.id, connectionId);
    const content = contentFor(existing?.endUser ?? null);
    const id =
      existing?.id ?? (await connections.insert(tx, { integrationId: integration.id, connectionId, createdAt: now }));
    if (id === undefined)
      throw new HomeportError('not_found', `There is no integration "${integration.uniqueKey}" any more.`);
    await connections.update(tx, id, this.#sealed(id, integration.provider, content), now);
    await connections.removeErrors(tx, id, 'auth', '');
    tx.afterCommit(() => {
      const changed = { environmentId: integration.environmentId, integrationKey: integration.uniqueKey, connectionId };
      this.#changed(integration.id, changed, existing ? 'updated' : 'created');
    });
    return { id, isNew: existing === undefined };
  }

  newConnectionId(): string {
    return this.#options.ids.uuid();
  }

  /** Reads the row inside the transaction that writes it: credentials stored meanwhile must not be undone. */
  async patch(connection: Connection, body: PatchConnectionBody): Promise<void> {
    if (Object.keys(body).length === 0) return;
    const { clock, connections, database } = this.#options;
    const { integrationId, connectionId } = connection;
    await database.transaction(async (tx) => {
      const row = await connections.find(tx, integrationId, connectionId);
      if (!row) throw missing(connectionId);
      const endUser = body.end_user ? toEndUserCopy(body.end_user, row.endUser) : row.endUser;
      const changesTags = body.end_user !== undefined || body.tags !== undefined;
      const tags = changesTags ? mergeTags(body.end_user ? endUser : null, body.tags) : row.tags;
      const webhookUrlOverride =
        body.webhook_url_override === undefined ? row.webhookUrlOverride : body.webhook_url_override || null;
      await connections.update(tx, row.id, { ...row, endUser, tags, webhookUrlOverride }, clock.now());
      tx.afterCommit(() => this.#forget(integrationId, connectionId));
    });
  }

  /** Replaces or shallow-merges the metadata of several connections: all ids are checked before any write. */
  async changeMetadata(
    integration: Pick<Integration, 'id'> | undefined,
    connectionIds: string[],
    metadata: Record<string, unknown>,
    mode: 'replace' | 'merge',
  ): Promise<void> {
    const { clock, connections, database } = this.#options;
    await database.transaction(async (tx) => {
      const rows: ConnectionRow[] = [];
      for (const connectionId of connectionIds) {
        const row = integration && (await connections.find(tx, integration.id, connectionId));
        if (!row)
          throw new HomeportError(
            'unknown_connection',
            `There is no connection "${connectionId}" of this integration.`,
            { status: 404 },
          );
        rows.push(row);
      }
      const values = rows.map((row) => (mode === 'replace' ? metadata : { ...row.metadata, ...metadata }));
      await connections.updateMetadata(
        tx,
        rows.map((row) => row.id),
        values,
        clock.now(),
      );
      tx.afterCommit(() => {
        for (const row of rows) this.#forget(row.integrationId, row.connectionId);
      });
    });
  }

  /** Soft-deletes connections of one integration. */
  async remove(
    tx: Writable,
    integration: Integration,
    connections: Array<{ id: number; connectionId: string }>,
  ): Promise<number> {
    const removed = await this.#options.connections.remove(
      tx,
      connections.map((connection) => connection.id),
      this.#options.clock.now(),
    );
    tx.afterCommit(() => {
      const { environmentId, uniqueKey: integrationKey } = integration;
      for (const { connectionId } of connections)
        this.#changed(integration.id, { environmentId, integrationKey, connectionId }, 'deleted');
    });
    return removed;
  }

  /** Removes a connection that was refused right after its creation; nothing of it stays. */
  async purge(connection: Connection): Promise<void> {
    await this.#options.database.transaction((tx) => this.#options.connections.purge(tx, connection.id), {
      durable: true,
    });
    this.#changed(connection.integrationId, connection, 'deleted');
  }

  async setError(
    connectionRowId: number,
    error: { type: 'auth' | 'sync'; source: string; logId: string },
  ): Promise<void> {
    const now = this.#options.clock.now();
    await this.#options.database.transaction((tx) =>
      this.#options.connections.upsertError(tx, { id: connectionRowId, ...error, now }),
    );
    this.#forgetRow(connectionRowId);
  }

  /** Clears the errors of syncs that no longer run. */
  async removeSyncErrors(tx: Writable, syncs: Array<{ connectionRowId: number; syncId: string }>): Promise<void> {
    for (const { connectionRowId, syncId } of syncs) {
      await this.#options.connections.removeErrors(tx, connectionRowId, 'sync', syncId);
      tx.afterCommit(() => this.#forgetRow(connectionRowId));
    }
  }

  async clearError(connectionRowId: number, type: 'auth' | 'sync', source: string): Promise<void> {
    await this.#options.database.transaction((tx) =>
      this.#options.connections.removeErrors(tx, connectionRowId, type, source),
    );
    this.#forgetRow(connectionRowId);
  }

  #sealed(id: number, provider: string, content: ConnectionContent): Parameters<ConnectionsStore['update']>[2] {
    const { catalog, vault } = this.#options;
    const { readable, secret } = splitConfig(content.connectionConfig, catalog.find(provider));
    const expiresAt =
      content.credentials.expires_at === undefined ? Number.NaN : Date.parse(content.credentials.expires_at);
    return {
      credentials: vault.sealJson(content.credentials, secretContext(id, 'credentials')),
      credentialsType: content.credentials.type ?? null,
      credentialsExpireAt: Number.isNaN(expiresAt) ? null : expiresAt,
      connectionConfig: readable,
      sealedConfig: Object.keys(secret).length > 0 ? vault.sealJson(secret, secretContext(id, 'config')) : null,
      metadata: content.metadata,
      tags: content.tags,
      endUser: content.endUser,
      webhookUrlOverride: content.webhookUrlOverride,
      lastRefreshSuccessAt: this.#options.clock.now(),
      lastRefreshFailureAt: null,
      refreshAttempts: 0,
      isRefreshExhausted: false,
    };
  }

  #isRefreshable(row: ConnectionRow): boolean {
    return isRefreshable(row.credentialsType, () =>
      this.#options.vault.openJson<StoredCredentials>(row.credentials, secretContext(row.id, 'credentials')),
    );
  }

  async #getRow(connection: Pick<Connection, 'integrationId' | 'connectionId'>): Promise<CachedConnection> {
    const row = await this.#findRow(connection.integrationId, connection.connectionId);
    if (!row) throw missing(connection.connectionId);
    return row;
  }

  async #findRow(integrationId: number, connectionId: string): Promise<CachedConnection | undefined> {
    const key = cacheKey(integrationId, connectionId);
    const known = this.#cache.get(key);
    if (known) return known;
    const { connections, database } = this.#options;
    const generation = this.#generation;
    const row = await connections.find(database.reader, integrationId, connectionId);
    if (!row) return undefined;
    const errors = await connections.listErrors(database.reader, [row.id]);
    const found: CachedConnection = { ...row, errors: errors.map(({ type, logId }) => ({ type, logId })) };
    if (generation === this.#generation) this.#cache.set(key, found);
    return found;
  }

  #changed(integrationId: number, connection: ChangedConnection, change: 'created' | 'updated' | 'deleted'): void {
    this.#forget(integrationId, connection.connectionId);
    this.#options.onChanged(connection, change);
  }

  #forget(integrationId: number, connectionId: string): void {
    this.#generation += 1;
    this.#cache.delete(cacheKey(integrationId, connectionId));
  }

  #forgetRow(id: number): void {
    this.#generation += 1;
    for (const [key, row] of this.#cache.entries()) {
      if (row.id !== id) continue;
      this.#cache.delete(key);
      this.#options.onChanged(row, 'updated');
    }
  }
}

function missing(connectionId: string): HomeportError {
  return new HomeportError('not_found', `There is no connection "${connectionId}".`);
}

function cacheKey(integrationId: number, connectionId: string): string {
  return `${integrationId}:${connectionId}`;
}

function secretContext(id: number, field: 'credentials' | 'config'): string {
  return `connection:${id}:${field}`;
}
