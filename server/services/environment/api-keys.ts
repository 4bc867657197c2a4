import { WHOLE_ENVIRONMENT } from '../../contract/api/key-scopes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { detached } from '../../lib/detached.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import { ReadCache } from '../../lib/read-cache.ts';
import { type ApiKeyRow, ApiKeysStore } from '../../stores/api-keys-store.ts';
import type { Vault } from '../../vault/vault.ts';

export interface ApiKeysOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}

/** What a key may do, and where. */
export type KeyGrant = Pick<ApiKeyRow, 'id' | 'environmentId' | 'scopes'>;

/** Everything about a key that is not secret. */
export type KeyFacts = Pick<ApiKeyRow, 'id' | 'displayName' | 'scopes' | 'createdAt' | 'lastUsedAt'>;

export interface CreatedKey {
  id: number;
  displayName: string;
  scopes: readonly string[];
  secret: string;
  createdAt: number;
}

const DEFAULT_KEY_NAME = 'default';
/** http-api.md 1.3. */
const MOST_KEYS = 50;
/** Last use of a key is written at most once a minute (http-api.md 1.3). */
const TOUCH_EVERY_MS = 60_000;
/** Keys kept in memory; many environments have up to 50 each. */
const CACHED_GRANTS = 5000;

/** The secret keys of all environments: found by hash, sealed for display. */
export class ApiKeys {
  readonly #options: ApiKeysOptions;
  readonly #rows = new ApiKeysStore();
  /** By secret key, in memory only. */
  readonly #grants = new ReadCache<KeyGrant>({ max: CACHED_GRANTS });
  readonly #touchedAt = new Map<number, number>();

  constructor(options: ApiKeysOptions) {
    this.#options = options;
  }

  /** What a secret key grants; its use is noted. */
  async find(secretKey: string): Promise<KeyGrant | undefined> {
    const secret = secretKey.toLowerCase();
    const grant = await this.#grants.get(secret, () => this.#read(secret));
    if (grant) this.#touch(grant.id);
    return grant;
  }

  /** As `find`, from memory alone. */
  peek(secretKey: string): KeyGrant | undefined {
    const grant = this.#grants.peek(secretKey.toLowerCase());
    if (grant) this.#touch(grant.id);
    return grant;
  }

  /** The default key of an environment, or its oldest one, for display. */
  async reveal(environmentId: number): Promise<string> {
    const { database, vault } = this.#options;
    const key =
      (await this.#rows.findByName(database.reader, environmentId, DEFAULT_KEY_NAME)) ??
      (await this.#rows.list(database.reader, environmentId))[0];
    if (!key) throw new Error('The environment has no key.');
    return vault.open(key.secret, secretContext(environmentId, key.displayName));
  }

  /** Nothing that was read before counts any more. */
  forgetAll(): void {
    this.#grants.clear();
  }

  /** Oldest first. */
  async list(environmentId: number): Promise<KeyFacts[]> {
    return this.#rows.list(this.#options.database.reader, environmentId);
  }

  /** The first key of a new environment, in the transaction that makes it. */
  createDefault(tx: Transaction, environmentId: number, secret = this.#options.ids.uuid()): Promise<CreatedKey> {
    return this.#insert(tx, { environmentId, displayName: DEFAULT_KEY_NAME, scopes: [WHOLE_ENVIRONMENT] }, secret);
  }

  /** The answer is the only moment that the secret leaves unasked. */
  async create(environmentId: number, displayName: string, scopes: readonly string[]): Promise<CreatedKey> {
    const { database, ids } = this.#options;
    return database.transaction(
      async (tx) => {
        if (await this.#rows.findByName(tx, environmentId, displayName)) {
          throw new HomeportError('conflict', `There is already a key "${displayName}".`);
        }
        if ((await this.#rows.count(tx, environmentId)) >= MOST_KEYS) {
          throw new HomeportError('resource_capped', `An environment has at most ${MOST_KEYS} keys. Revoke one first.`);
        }
        return this.#insert(tx, { environmentId, displayName, scopes }, ids.uuid());
      },
      { durable: true },
    );
  }

  /** The key stops working at once. The last key of an environment stays: without one nobody could call it. */
  async revoke(environmentId: number, keyId: number): Promise<void> {
    const { database } = this.#options;
    await database.transaction(
      async (tx) => {
        if (!(await this.#rows.remove(tx, environmentId, keyId)))
          throw new HomeportError('not_found', 'There is no such key.');
        if ((await this.#rows.count(tx, environmentId)) > 0) return;
        throw new HomeportError('invalid_body', 'This is the only key of the environment. Make another one first.');
      },
      { durable: true },
    );
    this.#grants.clear();
  }

  /** Makes `secretKey` the default key of an environment. */
  async fixDefault(environmentId: number, secretKey: string): Promise<void> {
    const { database, vault } = this.#options;
    const hash = vault.lookupHash(secretKey);
    const key = await this.#rows.findByName(database.reader, environmentId, DEFAULT_KEY_NAME);
    if (!key) {
      await database.transaction((tx) => this.createDefault(tx, environmentId, secretKey), { durable: true });
    } else if (key.lookupHash !== hash) {
      const sealed = vault.seal(secretKey, secretContext(environmentId, DEFAULT_KEY_NAME));
      await database.transaction((tx) => this.#rows.updateSecret(tx, key.id, hash, sealed), { durable: true });
    }
    this.#grants.clear();
  }

  async #insert(
    tx: Transaction,
    key: { environmentId: number; displayName: string; scopes: readonly string[] },
    secret: string,
  ): Promise<CreatedKey> {
    const { clock, vault } = this.#options;
    const now = clock.now();
    const id = await this.#rows.insert(tx, {
      ...key,
      scopes: [...key.scopes],
      lookupHash: vault.lookupHash(secret),
      secret: vault.seal(secret, secretContext(key.environmentId, key.displayName)),
      createdAt: now,
    });
    return { id, displayName: key.displayName, scopes: key.scopes, secret, createdAt: now };
  }

  async #read(secret: string): Promise<KeyGrant | undefined> {
    const { database, vault } = this.#options;
    const key = await this.#rows.findByHash(database.reader, vault.lookupHash(secret));
    return key && { id: key.id, environmentId: key.environmentId, scopes: key.scopes };
  }

  #touch(keyId: number): void {
    const { clock, database } = this.#options;
    const now = clock.now();
    if (now - (this.#touchedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    this.#touchedAt.set(keyId, now);
    // The caller does not wait for this; a failed write would surface at the next real one.
    detached(() => database.transaction((tx) => this.#rows.touch(tx, keyId, now))).catch(() =>
      this.#touchedAt.delete(keyId),
    );
  }
}

function secretContext(environmentId: number, displayName: string): string {
  return `environment:${environmentId}:api-key:${displayName}`;
}
