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
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import { omitUndefined } from '../platform/lib/omit-undefined.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AuthEvents } from './auth-events.ts';
import { type ConnectionContent, healthy, type StoredConnection, type StoredContent } from './connection.ts';
import { createConnectionCache } from './connection-cache.ts';
import { createConnectionCredentials, missingConnection } from './connection-credentials.ts';
import { createConnectionQueries } from './connection-queries.ts';
import { changedTags, mergeTags, type TagChange, toEndUserCopy } from './connection-tags.ts';
import type { PatchConnectionBody } from './connections.contract.ts';
import { type ConnectionRow, ConnectionsStore, type ConnectionWrite } from './connections.store.ts';
import type { CredentialsService } from './credentials/credentials.service.ts';
import { createRenewal } from './renewal.ts';
import { createRenewalJournal } from './renewal-journal.ts';

export { mergeTags, toEndUserCopy } from './connection-tags.ts';

export interface ConnectionEvents {
  /** A connection was stored, changed or deleted. */
  connection: ConnectionKeys & { change: 'created' | 'updated' | 'deleted' };
  /** A value of the hub's health has changed. */
  health: undefined;
}

type ConnectionKeys = Pick<ConnectionRow, 'environmentId' | 'integrationKey' | 'connectionId'>;

export type ConnectionsService = ReturnType<typeof createConnectionsService>;

/**
 * Reads connections and changes their metadata, tags and end users. `lifecycle` creates and deletes connections, with
 * the effects of that.
 */
export function createConnectionsService({
  database,
  vault,
  clock,
  ids,
  logger,
  catalog,
  integrations,
  credentials,
  log,
  journalFolder,
  events,
  authEvents,
}: {
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
}) {
  const connectionsStore = new ConnectionsStore();
  const heldDeletions = new HeldDeletionsStore();
  const rows = createConnectionCache({ database, connectionsStore, vault, catalog });
  const onChanged = (row: ConnectionRow): void => noteChange(row.integrationId, row, 'updated');
  const journal = createRenewalJournal({
    database,
    connectionsStore,
    rows,
    vault,
    clock,
    logger,
    folder: journalFolder,
    onChanged,
    onUnstoredChanged: () => events.emit('health', undefined),
  });
  const renewal = createRenewal({
    database,
    connectionsStore,
    rows,
    journal,
    credentials,
    integrations,
    catalog,
    clock,
    log,
    onChanged,
    onFailed: (tx, connection, failure) => authEvents.refreshFailed(tx, connection, failure),
  });

  /** At once when the connection is in memory. */
  function find(
    integration: Pick<Integration, 'id'>,
    connectionId: string,
  ): MaybePromise<StoredConnection | undefined> {
    return rows.find(integration.id, connectionId);
  }

  function seal(id: number, provider: string, content: ConnectionContent, obtainedAt: number): ConnectionWrite {
    return {
      ...rows.sealCredentials(id, provider, content.credentials),
      ...rows.sealConfig(id, provider, content.connectionConfig),
      metadata: content.metadata,
      tags: content.tags,
      endUser: content.endUser,
      webhookUrlOverride: content.webhookUrlOverride,
      credentialsObtainedAt: obtainedAt,
      ...healthy(obtainedAt),
    };
  }

  function noteChange(
    integrationId: number,
    connection: ConnectionKeys,
    change: 'created' | 'updated' | 'deleted',
  ): void {
    rows.invalidate(integrationId, connection.connectionId);
    emit(connection, change);
  }

  function invalidateRow(id: number): void {
    const row = rows.invalidateRow(id);
    if (row) emit(row, 'updated');
  }

  function emit(
    { environmentId, integrationKey, connectionId }: ConnectionKeys,
    change: 'created' | 'updated' | 'deleted',
  ): void {
    events.emit('connection', { environmentId, integrationKey, connectionId, change });
  }

  return {
    ...createConnectionQueries({ database, clock, connectionsStore, rows }),
    /** Reads usable credentials. */
    credentials: createConnectionCredentials({ database, connectionsStore, rows, renewal, journal, clock, logger }),
    find,
    async findByRowId(id: number): Promise<StoredConnection | undefined> {
      return rows.findByRowId(id);
    },

    /** The connection if it is in memory. */
    peekByRowId(id: number): StoredConnection | undefined {
      return rows.peekRow(id);
    },

    /**
     * Stores a new connection, or overwrites the one with this id: the numeric id stays, refresh counters and auth errors
     * are cleared. Resolves to its row id, the previous row, the stored content, and when its credentials were obtained.
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
      obtainedAt: number;
    }> {
      const now = clock.now();
      const known = await connectionsStore.findOrNextId(tx, integration.id, connectionId);
      const existing = known.found;
      const id = known.found ? known.found.id : known.nextId;
      const content = contentFor(existing);
      const obtainedAt = content.obtainedAt ?? now;
      const row = seal(id, integration.provider, content, obtainedAt);
      if (existing) {
        await connectionsStore.update(tx, id, row, now);
        await connectionsStore.removeErrors(tx, id, 'auth', '');
        await heldDeletions.forget(tx, 'connection', String(id));
      } else if (
        !(await connectionsStore.insert(tx, {
          ...row,
          id,
          integrationId: integration.id,
          connectionId,
          createdAt: now,
        }))
      )
        throw new HomeportError('not_found', `There is no integration "${integration.uniqueKey}" any more.`);
      tx.afterCommit(() => {
        const changed = {
          environmentId: integration.environmentId,
          integrationKey: integration.uniqueKey,
          connectionId,
        };
        noteChange(integration.id, changed, existing ? 'updated' : 'created');
      });
      return { id, replaced: existing, content, owned: ownedMembers(row), obtainedAt };
    },

    /**
     * Restores what a re-authorization replaced, when that was refused (design.md 7.54): credentials, configuration and
     * refresh counters, and other members unless they changed since. The refusal is noted as an error.
     */
    async restore(
      tx: Transaction,
      { replaced, stored, logId }: { replaced: ConnectionRow; stored: OwnedMembers | undefined; logId: string },
    ): Promise<void> {
      const now = clock.now();
      const current = await connectionsStore.find(tx, replaced.integrationId, replaced.connectionId);
      // The connection was deleted meanwhile; its credentials stay removed.
      if (!current) return;
      const changed = Object.entries(ownedMembers(current)).filter(
        ([name, value]) => stored && !isDeepStrictEqual(value, stored[name as keyof OwnedMembers]),
      );
      await connectionsStore.update(tx, replaced.id, { ...replaced, ...Object.fromEntries(changed) }, now);
      await connectionsStore.upsertError(tx, { id: replaced.id, type: 'auth', source: '', logId, now });
      tx.afterCommit(() => noteChange(replaced.integrationId, replaced, 'updated'));
    },

    /** Merges values into the configuration; undefined removes a key. */
    async mergeConfig(connection: StoredConnection, patch: Record<string, unknown>): Promise<void> {
      const { integrationId, connectionId } = connection;
      await database.transaction(async (tx) => {
        const row = await connectionsStore.find(tx, integrationId, connectionId);
        if (!row) return;
        const config = omitUndefined({ ...rows.configOf(row), ...patch });
        await connectionsStore.update(
          tx,
          row.id,
          { ...row, ...rows.sealConfig(row.id, row.provider, config) },
          clock.now(),
        );
        tx.afterCommit(() => noteChange(integrationId, row, 'updated'));
      });
    },

    newConnectionId(): string {
      return ids.uuid();
    },

    /**
     * Changes end user, tags and webhook address. Throws `not_found`. The row is read inside the transaction that writes
     * it, so that credentials that were stored meanwhile are kept.
     */
    async patch(connection: StoredConnection, body: PatchConnectionBody): Promise<void> {
      if (Object.keys(body).length === 0) return;
      const { integrationId, connectionId } = connection;
      await database.transaction(async (tx) => {
        const row = await connectionsStore.find(tx, integrationId, connectionId);
        if (!row) throw missingConnection(connectionId);
        const endUser = body.end_user ? toEndUserCopy(body.end_user, row.endUser) : row.endUser;
        const changesTags = body.end_user !== undefined || body.tags !== undefined;
        const tags = changesTags ? mergeTags(body.end_user ? endUser : null, body.tags) : row.tags;
        const webhookUrlOverride =
          body.webhook_url_override === undefined ? row.webhookUrlOverride : body.webhook_url_override || null;
        await connectionsStore.update(tx, row.id, { ...row, endUser, tags, webhookUrlOverride }, clock.now());
        tx.afterCommit(() => noteChange(integrationId, row, 'updated'));
      });
    },

    /**
     * Sets and removes single tags; the others stay. Throws `not_found` and, for too many tags, `invalid_body`. The row is
     * read inside the transaction that writes it, so that changes at the same time are both kept.
     */
    async changeTags(connection: StoredConnection, change: TagChange): Promise<void> {
      const { integrationId, connectionId } = connection;
      await database.transaction(async (tx) => {
        const row = await connectionsStore.find(tx, integrationId, connectionId);
        if (!row) throw missingConnection(connectionId);
        const tags = changedTags(row.tags, change);
        await connectionsStore.update(tx, row.id, { ...row, tags }, clock.now());
        tx.afterCommit(() => noteChange(integrationId, row, 'updated'));
      });
    },

    /**
     * Sets the minimum level of log lines that functions write for the connection; null means the environment's level.
     */
    async setLogLevel(connection: StoredConnection, level: ConnectionRow['logLevel']): Promise<void> {
      await database.transaction(async (tx) => {
        await connectionsStore.updateLogLevel(tx, connection.id, level, clock.now());
        tx.afterCommit(() => noteChange(connection.integrationId, connection, 'updated'));
      });
    },

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
      if (isTooDeep(metadata))
        throw new HomeportError('invalid_body', `Metadata may nest ${MAX_JSON_DEPTH} levels at most.`);
      await database.transaction(async (tx) => {
        const rows: ConnectionRow[] = [];
        for (const connectionId of connectionIds) {
          const row = integration && (await connectionsStore.find(tx, integration.id, connectionId));
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
        await connectionsStore.updateMetadata(
          tx,
          rows.map((row) => row.id),
          values,
          clock.now(),
        );
        tx.afterCommit(() => {
          for (const row of rows) noteChange(row.integrationId, row, 'updated');
        });
      });
    },

    /** Soft-deletes connections of one integration. */
    async remove(
      tx: Transaction,
      integration: Integration,
      connections: Array<{ id: number; connectionId: string }>,
    ): Promise<number> {
      const removed = await connectionsStore.remove(
        tx,
        connections.map((connection) => connection.id),
        clock.now(),
      );
      tx.afterCommit(() => {
        const { environmentId, uniqueKey: integrationKey } = integration;
        for (const { connectionId } of connections)
          noteChange(integration.id, { environmentId, integrationKey, connectionId }, 'deleted');
      });
      return removed;
    },

    /** Removes a connection that was refused right after its creation. Sessions of agents may know its row id. */
    async removeRefused(tx: Transaction, connection: StoredConnection): Promise<void> {
      await connectionsStore.remove(tx, [connection.id], clock.now());
      tx.afterCommit(() => noteChange(connection.integrationId, connection, 'deleted'));
    },

    async setError(
      tx: Transaction,
      connectionRowId: number,
      error: { type: 'auth' | 'sync'; source: string; logId: string },
    ): Promise<void> {
      const now = clock.now();
      await connectionsStore.upsertError(tx, { id: connectionRowId, ...error, now });
      tx.afterCommit(() => invalidateRow(connectionRowId));
    },

    /** Clears the errors of syncs that succeeded or no longer run. */
    async removeSyncErrors(tx: Transaction, syncs: Array<{ connectionRowId: number; syncId: string }>): Promise<void> {
      for (const { connectionRowId, syncId } of syncs) {
        const known = rows.peekRow(connectionRowId);
        if (known && !known.errors.some(({ type }) => type === 'sync')) continue;
        const removed = await connectionsStore.removeErrors(tx, connectionRowId, 'sync', syncId);
        // Most successful runs follow a successful one: then nothing changes and no event is emitted.
        if (removed > 0) tx.afterCommit(() => invalidateRow(connectionRowId));
      }
    },
  };
}

/** Members of a connection that a session, an import or the owner sets, and that functions may change. */
export type OwnedMembers = Pick<ConnectionWrite, 'metadata' | 'tags' | 'endUser' | 'webhookUrlOverride'>;

function ownedMembers({ metadata, tags, endUser, webhookUrlOverride }: OwnedMembers): OwnedMembers {
  return { metadata, tags, endUser, webhookUrlOverride };
}
