import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import type { Database } from '../platform/database/database.ts';
import { groupCalls } from '../platform/lib/grouped-calls.ts';
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ConnectionRow, ConnectionsStore, ConnectionWithErrors, ConnectionWrite } from './connections.store.ts';
import { canRenew, expiryOf } from './credentials/credentials.service.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';

/** A row with the connection's active errors, as the cache keeps it. */
export type CachedConnection = ConnectionWithErrors;

export type SealedParts = Pick<
  ConnectionWrite,
  'credentials' | 'credentialsType' | 'credentialsExpireAt' | 'credentialsEndAt' | 'connectionConfig' | 'sealedConfig'
>;

/** Number of connections kept in memory. */
const CACHED_CONNECTIONS = 5000;
/** Rows that one statement reads at most. */
const READ_AT_ONCE = 100;

export type ConnectionCache = ReturnType<typeof createConnectionCache>;

/** Cache of connection rows: a row is read once and kept until it changes, and its sealed parts are opened once. */
export function createConnectionCache({
  database,
  connectionsStore,
  vault,
  catalog,
}: {
  database: Database;
  connectionsStore: ConnectionsStore;
  vault: Vault;
  catalog: { find(name: string): ProviderEntry | undefined };
}) {
  const cache = new ReadCache<CachedConnection>({ max: CACHED_CONNECTIONS, idOf: (row) => row.id });
  /** The opened credentials and secret configuration of a row. Every change drops the row, and these with it. */
  let opened = new WeakMap<CachedConnection, StoredCredentials>();
  let openedConfigs = new WeakMap<ConnectionRow, Record<string, unknown>>();

  vault.onLock(() => {
    // A running request may still hold a row of the cache.
    opened = new WeakMap();
    openedConfigs = new WeakMap();
    cache.clear();
  });

  /** Runs that start together read their connections together. */
  const readRow = groupCalls(async (ids: number[]) => {
    const rows = new Map((await connectionsStore.listWithErrors(database.reader, ids)).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id));
  }, READ_AT_ONCE);

  function find(integrationId: number, connectionId: string): MaybePromise<CachedConnection | undefined> {
    return cache.get(cacheKey(integrationId, connectionId), () =>
      connectionsStore.findWithErrors(database.reader, { integrationId, connectionId }),
    );
  }

  /** The opened credentials; only their type when they were lost with their key (`areLost`). */
  function openCredentials(row: ConnectionRow): StoredCredentials {
    if (row.credentials === '') return row.credentialsType === null ? {} : { type: row.credentialsType };
    return vault.openJson<StoredCredentials>(row.credentials, secretContext(row.id, 'credentials'));
  }

  return {
    /** True when sealed values cannot be opened. */
    get isLocked(): boolean {
      return vault.isLocked;
    },
    find,
    async findByRowId(id: number): Promise<CachedConnection | undefined> {
      return (
        cache.peekById(id) ??
        cache.read(
          () => readRow(id),
          (row) => cacheKey(row.integrationId, row.connectionId),
        )
      );
    },

    /** The row if it is in memory. */
    peek(integrationId: number, connectionId: string): CachedConnection | undefined {
      return cache.peek(cacheKey(integrationId, connectionId));
    },

    peekRow(id: number): CachedConnection | undefined {
      return cache.peekById(id);
    },

    invalidate(integrationId: number, connectionId: string): void {
      cache.drop(cacheKey(integrationId, connectionId));
    },

    /** Returns the dropped row, if it was in memory. */
    invalidateRow(id: number): CachedConnection | undefined {
      return cache.dropById(id);
    },

    openCredentials,
    /** As `openCredentials`; opens them once per cached row. */
    credentialsOf(row: CachedConnection): StoredCredentials {
      const known = opened.get(row);
      if (known) return known;
      const credentials = Object.freeze(openCredentials(row));
      opened.set(row, credentials);
      return credentials;
    },

    /** The whole connection configuration, including secret fields; opens it once per row. */
    configOf(row: ConnectionRow): Record<string, unknown> {
      if (row.sealedConfig === null) return row.connectionConfig;
      const known = openedConfigs.get(row);
      if (known) return known;
      const secret = vault.openJson<Record<string, unknown>>(row.sealedConfig, secretContext(row.id, 'config'));
      const config = Object.freeze({ ...row.connectionConfig, ...secret });
      openedConfigs.set(row, config);
      return config;
    },

    sealCredentials(
      id: number,
      provider: string,
      credentials: StoredCredentials,
    ): Omit<SealedParts, 'connectionConfig' | 'sealedConfig'> {
      return {
        credentials: vault.sealJson(credentials, secretContext(id, 'credentials')),
        credentialsType: credentials.type ?? null,
        credentialsExpireAt: expiryOf(credentials),
        credentialsEndAt: endOf(provider, credentials),
      };
    },

    sealConfig(
      id: number,
      provider: string,
      config: Record<string, unknown>,
    ): Pick<SealedParts, 'connectionConfig' | 'sealedConfig'> {
      const { readable, secret } = splitConfig(config, catalog.find(provider));
      return {
        connectionConfig: readable,
        sealedConfig: Object.keys(secret).length > 0 ? vault.sealJson(secret, secretContext(id, 'config')) : null,
      };
    },
  };
}

/** When the credentials end, if the hub cannot renew them. */
export function endOf(provider: string, credentials: StoredCredentials): number | null {
  return canRenew(provider, credentials) ? null : expiryOf(credentials);
}

/** Whether `homeport key reset` removed the credentials, so that the account must be connected again. */
export function areLost(row: Pick<ConnectionRow, 'credentials' | 'credentialsType'>): boolean {
  return row.credentials === '' && row.credentialsType !== null;
}

function cacheKey(integrationId: number, connectionId: string): string {
  return `${integrationId}:${connectionId}`;
}

function secretContext(id: number, field: 'credentials' | 'config'): string {
  return `connection:${id}:${field}`;
}
