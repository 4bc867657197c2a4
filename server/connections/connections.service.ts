import { isDeepStrictEqual } from 'node:util';
import { HeldDeletionsStore } from '../data/held-deletions.store.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { isTooDeep, MAX_JSON_DEPTH } from '../platform/lib/json-limits.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { omitUndefined } from '../platform/lib/omit-undefined.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AuthEvents } from './auth-events.ts';
import { type ConnectionContent, healthy, type StoredConnection, type StoredContent } from './connection.ts';
import { ConnectionRows } from './connection-cache.ts';
import {
  type ConnectionCredentials,
  createConnectionCredentials,
  missingConnection,
} from './connection-credentials.ts';
import { ConnectionQueries } from './connection-queries.ts';
import { changedTags, mergeTags, type TagChange, toEndUserCopy } from './connection-tags.ts';
import type { PatchConnectionBody } from './connections.contract.ts';
import { type ConnectionRow, ConnectionsStore, type ConnectionWrite } from './connections.store.ts';
import type { CredentialsService } from './credentials/credentials.service.ts';

export { mergeTags, toEndUserCopy } from './connection-tags.ts';

interface ConnectionsServiceOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  credentials: CredentialsService;
  log: OperationLog;
  /** Folder in which renewed credentials are kept until they are stored. */
  journalFolder: string;
  events: EventSink<ConnectionEvents>;
  /** Called for each failed renewal or test of credentials, in the transaction that marks the connection. */
  authEvents: Pick<AuthEvents, 'refreshFailed'>;
}

export interface ConnectionEvents {
  /** A connection was stored, changed or deleted. */
  connection: ConnectionKeys & { change: 'created' | 'updated' | 'deleted' };
  /** A value of the hub's health has changed. */
  health: undefined;
}

type ConnectionKeys = Pick<ConnectionRow, 'environmentId' | 'integrationKey' | 'connectionId'>;

/**
 * Reads connections and changes their metadata, tags and end users. `lifecycle` creates and deletes connections, with
 * the effects of that.
 */
export class ConnectionsService extends ConnectionQueries {
  /** Reads usable credentials. */
  readonly credentials: ConnectionCredentials;
  readonly #options: ConnectionsServiceOptions;
  readonly #connectionsStore: ConnectionsStore;
  readonly #heldDeletions = new HeldDeletionsStore();
  readonly #rows: ConnectionRows;

  constructor(options: ConnectionsServiceOptions) {
    const { database, vault, clock, logger, catalog, integrations, credentials, log, journalFolder } = options;
    const connectionsStore = new ConnectionsStore();
    const rows = new ConnectionRows({ database, connectionsStore, vault, catalog });
    super({ database, clock, connectionsStore, rows });
    this.#options = options;
    this.#connectionsStore = connectionsStore;
    this.#rows = rows;
    this.credentials = createConnectionCredentials({
      database,
      connectionsStore,
      rows,
      vault,
      clock,
      logger,
      catalog,
      integrations,
      credentials,
      log,
      journalFolder,
      onChanged: (row) => this.#changed(row.integrationId, row, 'updated'),
      onFailed: (tx, connection, failure) => options.authEvents.refreshFailed(tx, connection, failure),
      onUnstoredChanged: () => options.events.emit('health', undefined),
    });
  }

  async find(integration: Pick<Integration, 'id'>, connectionId: string): Promise<StoredConnection | undefined> {
    return this.#rows.find(integration.id, connectionId);
  }

  async findByRowId(id: number): Promise<StoredConnection | undefined> {
    return this.#rows.findByRowId(id);
  }

  /** The connection if it is in memory. */
  peekByRowId(id: number): StoredConnection | undefined {
    return this.#rows.peekRow(id);
  }

  /**
   * Stores a new connection, or overwrites the one with this id: the numeric id stays, refresh counters and auth errors
   * are cleared. Resolves to its row id, the previous row, the stored content, and the time.
   */
  async save(
    tx: Transaction,
    integration: Integration,
    connectionId: string,
    contentFor: (stored: StoredContent | undefined) => ConnectionContent,
  ): Promise<{
    id: number;
    replaced: ConnectionRow | undefined;
    content: ConnectionContent;
    owned: OwnedMembers;
    storedAt: number;
  }> {
    const { clock } = this.#options;
    const connections = this.#connectionsStore;
    const now = clock.now();
    const known = await connections.findOrNextId(tx, integration.id, connectionId);
    const existing = known.found;
    const id = known.found ? known.found.id : known.nextId;
    const content = contentFor(existing);
    const row = this.#sealed(id, integration.provider, content, now);
    if (existing) {
      await connections.update(tx, id, row, now);
      await connections.removeErrors(tx, id, 'auth', '');
      await this.#heldDeletions.forget(tx, 'connection', String(id));
    } else if (
      !(await connections.insert(tx, { ...row, id, integrationId: integration.id, connectionId, createdAt: now }))
    )
      throw new HomeportError('not_found', `There is no integration "${integration.uniqueKey}" any more.`);
    tx.afterCommit(() => {
      const changed = { environmentId: integration.environmentId, integrationKey: integration.uniqueKey, connectionId };
      this.#changed(integration.id, changed, existing ? 'updated' : 'created');
    });
    return { id, replaced: existing, content, owned: ownedMembers(row), storedAt: now };
  }

  /**
   * Restores what a re-authorization replaced, when that was refused (design.md 7.54): credentials, configuration and
   * refresh counters, and other members unless they changed since. The refusal is noted as an error.
   */
  async restore(
    tx: Transaction,
    { replaced, stored, logId }: { replaced: ConnectionRow; stored: OwnedMembers | undefined; logId: string },
  ): Promise<void> {
    const { clock } = this.#options;
    const connections = this.#connectionsStore;
    const now = clock.now();
    const current = await connections.find(tx, replaced.integrationId, replaced.connectionId);
    // The connection was deleted meanwhile; its credentials stay removed.
    if (!current) return;
    const changed = Object.entries(ownedMembers(current)).filter(
      ([name, value]) => stored && !isDeepStrictEqual(value, stored[name as keyof OwnedMembers]),
    );
    await connections.update(tx, replaced.id, { ...replaced, ...Object.fromEntries(changed) }, now);
    await connections.upsertError(tx, { id: replaced.id, type: 'auth', source: '', logId, now });
    tx.afterCommit(() => this.#changed(replaced.integrationId, replaced, 'updated'));
  }

  /** Merges values into the configuration; undefined removes a key. */
  async mergeConfig(connection: StoredConnection, patch: Record<string, unknown>): Promise<void> {
    const { clock, database } = this.#options;
    const connections = this.#connectionsStore;
    const { integrationId, connectionId } = connection;
    await database.transaction(async (tx) => {
      const row = await connections.find(tx, integrationId, connectionId);
      if (!row) return;
      const config = omitUndefined({ ...this.#rows.configOf(row), ...patch });
      await connections.update(
        tx,
        row.id,
        { ...row, ...this.#rows.sealConfig(row.id, row.provider, config) },
        clock.now(),
      );
      tx.afterCommit(() => this.#changed(integrationId, row, 'updated'));
    });
  }

  newConnectionId(): string {
    return this.#options.ids.uuid();
  }

  /**
   * Changes end user, tags and webhook address. Throws `not_found`. The row is read inside the transaction that writes
   * it, so that credentials that were stored meanwhile are kept.
   */
  async patch(connection: StoredConnection, body: PatchConnectionBody): Promise<void> {
    if (Object.keys(body).length === 0) return;
    const { clock, database } = this.#options;
    const connections = this.#connectionsStore;
    const { integrationId, connectionId } = connection;
    await database.transaction(async (tx) => {
      const row = await connections.find(tx, integrationId, connectionId);
      if (!row) throw missingConnection(connectionId);
      const endUser = body.end_user ? toEndUserCopy(body.end_user, row.endUser) : row.endUser;
      const changesTags = body.end_user !== undefined || body.tags !== undefined;
      const tags = changesTags ? mergeTags(body.end_user ? endUser : null, body.tags) : row.tags;
      const webhookUrlOverride =
        body.webhook_url_override === undefined ? row.webhookUrlOverride : body.webhook_url_override || null;
      await connections.update(tx, row.id, { ...row, endUser, tags, webhookUrlOverride }, clock.now());
      tx.afterCommit(() => this.#changed(integrationId, row, 'updated'));
    });
  }

  /**
   * Sets and removes single tags; the others stay. Throws `not_found` and, for too many tags, `invalid_body`. The row is
   * read inside the transaction that writes it, so that changes at the same time are both kept.
   */
  async changeTags(connection: StoredConnection, change: TagChange): Promise<void> {
    const { clock, database } = this.#options;
    const { integrationId, connectionId } = connection;
    await database.transaction(async (tx) => {
      const row = await this.#connectionsStore.find(tx, integrationId, connectionId);
      if (!row) throw missingConnection(connectionId);
      const tags = changedTags(row.tags, change);
      await this.#connectionsStore.update(tx, row.id, { ...row, tags }, clock.now());
      tx.afterCommit(() => this.#changed(integrationId, row, 'updated'));
    });
  }

  /**
   * Sets the minimum level of log lines that functions write for the connection; null means the environment's level.
   */
  async setLogLevel(connection: StoredConnection, level: ConnectionRow['logLevel']): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      await this.#connectionsStore.updateLogLevel(tx, connection.id, level, this.#options.clock.now());
      tx.afterCommit(() => this.#changed(connection.integrationId, connection, 'updated'));
    });
  }

  /**
   * Replaces or shallow-merges the metadata of several connections: all ids are checked before any write. With
   * `replaces`, throws `conflict` when other metadata is stored.
   */
  async changeMetadata(
    integration: Pick<Integration, 'id'> | undefined,
    connectionIds: string[],
    metadata: Record<string, unknown>,
    mode: 'replace' | 'merge' | { replaces: Record<string, unknown> },
  ): Promise<void> {
    const { clock, database } = this.#options;
    const connections = this.#connectionsStore;
    if (isTooDeep(metadata))
      throw new HomeportError('invalid_body', `Metadata may nest ${MAX_JSON_DEPTH} levels at most.`);
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
      if (typeof mode === 'object' && rows.some((row) => !isDeepStrictEqual(row.metadata, mode.replaces)))
        throw new HomeportError('conflict', 'The metadata changed since it was read. Load it again, then change it.');
      const values = rows.map((row) => (mode === 'merge' ? { ...row.metadata, ...metadata } : metadata));
      await connections.updateMetadata(
        tx,
        rows.map((row) => row.id),
        values,
        clock.now(),
      );
      tx.afterCommit(() => {
        for (const row of rows) this.#changed(row.integrationId, row, 'updated');
      });
    });
  }

  /** Soft-deletes connections of one integration. */
  async remove(
    tx: Transaction,
    integration: Integration,
    connections: Array<{ id: number; connectionId: string }>,
  ): Promise<number> {
    const removed = await this.#connectionsStore.remove(
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

  /** Permanently removes a connection that was refused right after its creation. */
  async purge(tx: Transaction, connection: StoredConnection): Promise<void> {
    await this.#connectionsStore.purge(tx, connection.id);
    tx.afterCommit(() => this.#changed(connection.integrationId, connection, 'deleted'));
  }

  async setError(
    tx: Transaction,
    connectionRowId: number,
    error: { type: 'auth' | 'sync'; source: string; logId: string },
  ): Promise<void> {
    const now = this.#options.clock.now();
    await this.#connectionsStore.upsertError(tx, { id: connectionRowId, ...error, now });
    tx.afterCommit(() => this.#invalidateRow(connectionRowId));
  }

  /** Clears the errors of syncs that succeeded or no longer run. */
  async removeSyncErrors(tx: Transaction, syncs: Array<{ connectionRowId: number; syncId: string }>): Promise<void> {
    for (const { connectionRowId, syncId } of syncs) {
      const known = this.#rows.peekRow(connectionRowId);
      if (known && !known.errors.some(({ type }) => type === 'sync')) continue;
      const removed = await this.#connectionsStore.removeErrors(tx, connectionRowId, 'sync', syncId);
      // Most successful runs follow a successful one: then nothing changes and no event is emitted.
      if (removed > 0) tx.afterCommit(() => this.#invalidateRow(connectionRowId));
    }
  }

  #sealed(id: number, provider: string, content: ConnectionContent, now: number): ConnectionWrite {
    return {
      ...this.#rows.sealCredentials(id, provider, content.credentials),
      ...this.#rows.sealConfig(id, provider, content.connectionConfig),
      metadata: content.metadata,
      tags: content.tags,
      endUser: content.endUser,
      webhookUrlOverride: content.webhookUrlOverride,
      ...healthy(now),
    };
  }

  #changed(integrationId: number, connection: ConnectionKeys, change: 'created' | 'updated' | 'deleted'): void {
    this.#rows.invalidate(integrationId, connection.connectionId);
    this.#emit(connection, change);
  }

  #invalidateRow(id: number): void {
    const row = this.#rows.invalidateRow(id);
    if (row) this.#emit(row, 'updated');
  }

  #emit(
    { environmentId, integrationKey, connectionId }: ConnectionKeys,
    change: 'created' | 'updated' | 'deleted',
  ): void {
    this.#options.events.emit('connection', { environmentId, integrationKey, connectionId, change });
  }
}

/** Members of a connection that a session, an import or the owner sets, and that functions may change. */
export type OwnedMembers = Pick<ConnectionWrite, 'metadata' | 'tags' | 'endUser' | 'webhookUrlOverride'>;

function ownedMembers({ metadata, tags, endUser, webhookUrlOverride }: OwnedMembers): OwnedMembers {
  return { metadata, tags, endUser, webhookUrlOverride };
}
