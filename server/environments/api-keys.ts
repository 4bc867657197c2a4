import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AllowedConnections } from './allowed-connections.contract.ts';
import { type ApiKeyRow, ApiKeysStore } from './api-keys.store.ts';
import { WHOLE_ENVIRONMENT } from './key-scopes.contract.ts';

export interface RevokedKey {
  environmentId: number;
  keyId: number;
}

/** What a key may do, and in which environment. */
export interface KeyGrant {
  id: number;
  environmentId: number;
  scopes: readonly string[];
  allowed: AllowedConnections;
}

/** The columns of a key that are not secret. */
export type KeyFacts = Pick<
  ApiKeyRow,
  'id' | 'displayName' | 'scopes' | 'createdAt' | 'lastUsedAt' | 'icon' | 'colour'
> & {
  allowed: AllowedConnections;
};

/**
 * Limits of a key, and the look of its app. Absent members stay unchanged; for a new key they mean no limits, no icon,
 * no colour.
 */
export interface KeySettings {
  allowed?: AllowedConnections | undefined;
  icon?: string | null | undefined;
  colour?: string | null | undefined;
}

/** Whether the key was created with its environment. */
const isDefaultKey = ({ displayName }: Pick<KeyFacts, 'displayName'>): boolean => displayName === DEFAULT_KEY_NAME;

export interface CreatedKey {
  id: number;
  displayName: string;
  scopes: readonly string[];
  secret: string;
  createdAt: number;
}

const DEFAULT_KEY_NAME = 'default';
/** Limit per environment (http-api.md 1.3). */
const MAX_KEYS = 50;
/** The last use of a key is stored at most once a minute (http-api.md 1.3). */
const TOUCH_EVERY_MS = 60_000;
/** Number of keys kept in memory; an environment may have 50. */
const CACHED_GRANTS = 5000;

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** The secret keys of all environments: found by hash, sealed for display. */
export function createApiKeys(use: { database: Database; vault: Vault; clock: Clock; ids: Ids }) {
  const { database, vault, clock, ids } = use;
  const store = new ApiKeysStore();
  /** By secret key; kept in memory only. */
  const grants = new ReadCache<KeyGrant>({ max: CACHED_GRANTS });
  /** By row id. */
  const allowedOf = new ReadCache<Pick<KeyFacts, 'id' | 'allowed'>>({ max: CACHED_GRANTS });
  const touchedAt = new Map<number, number>();
  /** A new key gets a higher id than a key that was just revoked: counts in memory go by the id. */
  let lastId = 0;
  const revokeListeners: Array<(key: RevokedKey) => void> = [];

  /** Adds a listener that is called after a key was revoked. */
  function onRevoked(listener: (key: RevokedKey) => void): void {
    revokeListeners.push(listener);
  }

  /** The grant of a secret key, at once when it is in memory; undefined for an unknown key. Notes the use of the key. */
  function find(secretKey: string): MaybePromise<KeyGrant | undefined> {
    const secret = secretKey.toLowerCase();
    return andThen(
      grants.get(secret, () => read(secret)),
      (grant) => {
        if (grant) touch(grant.id);
        return grant;
      },
    );
  }

  /** The default key of an environment, or its oldest one, in clear for display. */
  async function reveal(environmentId: number): Promise<string> {
    const key =
      (await store.findByName(database.reader, environmentId, DEFAULT_KEY_NAME)) ??
      (await store.list(database.reader, environmentId))[0];
    if (!key) throw new Error('The environment has no key.');
    return vault.open(key.secret, secretContext(environmentId, key.displayName));
  }

  /** Drops all cached grants. */
  function clearCache(): void {
    grants.clear();
    allowedOf.clear();
  }

  /** Which connections a key may use, at once when it is in memory; undefined for a key that is gone. */
  function findAllowed(
    environmentId: number,
    keyId: number,
  ): MaybePromise<Pick<KeyFacts, 'id' | 'allowed'> | undefined> {
    return allowedOf.get(`${keyId}`, async () => (await list(environmentId)).find(({ id }) => id === keyId));
  }

  /** Oldest first; `isDefault` marks the key that was created with the environment. */
  async function list(environmentId: number): Promise<Array<KeyFacts & { isDefault: boolean }>> {
    const rows = await store.list(database.reader, environmentId);
    return rows.map((row) => ({ ...row, allowed: readAllowed(row), isDefault: isDefaultKey(row) }));
  }

  /** Creates the first key of a new environment, in the transaction that creates the environment. */
  function createDefault(tx: Transaction, environmentId: number, secret = ids.uuid()): Promise<CreatedKey> {
    return insert(tx, { environmentId, displayName: DEFAULT_KEY_NAME, scopes: [WHOLE_ENVIRONMENT] }, secret);
  }

  /** Creates a key and returns it with its secret. Throws `conflict` for a used name and `resource_capped`. */
  async function create(
    environmentId: number,
    displayName: string,
    scopes: readonly string[],
    settings: KeySettings = {},
  ): Promise<CreatedKey> {
    return database.transaction(
      async (tx) => {
        if (await store.findByName(tx, environmentId, displayName)) {
          throw new HomeportError('conflict', `There is already a key "${displayName}".`);
        }
        if ((await store.count(tx, environmentId)) >= MAX_KEYS) {
          throw new HomeportError('resource_capped', `An environment has at most ${MAX_KEYS} keys. Revoke one first.`);
        }
        return insert(tx, { environmentId, displayName, scopes, ...settings }, ids.uuid());
      },
      { durable: true },
    );
  }

  /**
   * Renames a key or changes its scopes, effective with the next call. The default key cannot be changed: the program,
   * its command line and readers of the documentation rely on it. Returns its name.
   */
  async function change(
    environmentId: number,
    keyId: number,
    to: KeySettings & { displayName?: string | undefined; scopes?: readonly string[] | undefined },
  ): Promise<string> {
    const name = await database.transaction(
      async (tx) => {
        const key = (await store.list(tx, environmentId)).find(({ id }) => id === keyId);
        if (!key) throw new HomeportError('not_found', 'There is no such key.');
        if (isDefaultKey(key))
          throw new HomeportError('invalid_body', 'The default key keeps its name and its access. Make another key.');
        const { displayName = key.displayName, scopes = key.scopes } = to;
        const namesake = await store.findByName(tx, environmentId, displayName);
        if (namesake && namesake.id !== keyId)
          throw new HomeportError('conflict', `There is already a key "${displayName}".`);
        const secret = vault.open(key.secret, secretContext(environmentId, key.displayName));
        const sealed = vault.seal(secret, secretContext(environmentId, displayName));
        await store.update(tx, keyId, {
          displayName,
          scopes: [...scopes],
          secret: sealed,
          allowed: to.allowed === undefined ? key.allowed : writeAllowed(to.allowed),
          icon: to.icon === undefined ? key.icon : to.icon,
          colour: to.colour === undefined ? key.colour : to.colour,
        });
        return displayName;
      },
      { durable: true },
    );
    clearCache();
    return name;
  }

  /**
   * Revokes a key at once. The last key of an environment cannot be revoked, because programs could not call it any
   * more. Returns its name.
   */
  async function revoke(environmentId: number, keyId: number): Promise<string> {
    const name = await database.transaction(
      async (tx) => {
        const key = (await store.list(tx, environmentId)).find(({ id }) => id === keyId);
        if (!key || !(await store.remove(tx, environmentId, keyId)))
          throw new HomeportError('not_found', 'There is no such key.');
        if ((await store.count(tx, environmentId)) > 0) return key.displayName;
        throw new HomeportError('invalid_body', 'This is the only key of the environment. Make another one first.');
      },
      { durable: true },
    );
    clearCache();
    for (const listener of revokeListeners) listener({ environmentId, keyId });
    return name;
  }

  /** Makes `secretKey` the default key of an environment. */
  async function fixDefault(environmentId: number, secretKey: string): Promise<void> {
    const hash = vault.lookupHash(secretKey);
    const key = await store.findByName(database.reader, environmentId, DEFAULT_KEY_NAME);
    if (!key) {
      await database.transaction((tx) => createDefault(tx, environmentId, secretKey), { durable: true });
    } else if (key.lookupHash !== hash) {
      const sealed = vault.seal(secretKey, secretContext(environmentId, DEFAULT_KEY_NAME));
      await database.transaction((tx) => store.updateSecret(tx, key.id, hash, sealed), { durable: true });
    }
    clearCache();
  }

  async function insert(
    tx: Transaction,
    {
      allowed,
      icon,
      colour,
      ...key
    }: KeySettings & { environmentId: number; displayName: string; scopes: readonly string[] },
    secret: string,
  ): Promise<CreatedKey> {
    const now = clock.now();
    const row = {
      ...key,
      scopes: [...key.scopes],
      allowed: writeAllowed(allowed ?? null),
      icon: icon ?? null,
      colour: colour ?? null,
      lookupHash: vault.lookupHash(secret),
      secret: vault.seal(secret, secretContext(key.environmentId, key.displayName)),
      createdAt: now,
    };
    const id = await store.insert(tx, row, lastId);
    lastId = id;
    return { id, displayName: key.displayName, scopes: key.scopes, secret, createdAt: now };
  }

  async function read(secret: string): Promise<KeyGrant | undefined> {
    const key = await store.findByHash(database.reader, vault.lookupHash(secret));
    return key && { id: key.id, environmentId: key.environmentId, scopes: key.scopes, allowed: readAllowed(key) };
  }

  function touch(keyId: number): void {
    const now = clock.now();
    if (now - (touchedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    touchedAt.set(keyId, now);
    // The caller does not wait for this; a failing database also fails the next write, which reports it.
    detached(() => database.transaction((tx) => store.touch(tx, keyId, now))).catch(() => touchedAt.delete(keyId));
  }

  return { onRevoked, find, findAllowed, reveal, clearCache, list, createDefault, create, change, revoke, fixDefault };
}

function readAllowed({ allowed }: ApiKeyRow): AllowedConnections {
  return allowed === null ? null : (JSON.parse(allowed) as AllowedConnections);
}

function writeAllowed(allowed: AllowedConnections): string | null {
  return allowed === null ? null : JSON.stringify(allowed);
}

function secretContext(environmentId: number, displayName: string): string {
  return `environment:${environmentId}:api-key:${displayName}`;
}
