import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { HomeportError } from '../lib/homeport-error.ts';
import {
  type KeySource,
  type MasterKeyOptions,
  type StoredKey,
  type UnlockedKey,
  unlockDataKey,
} from './master-key.ts';
import { seal, unseal } from './seal.ts';

/** Where the wrapped data key lives; the vault itself knows no SQL. */
export interface WrappedKeyStore {
  load(): Promise<StoredKey | undefined>;
  save(key: StoredKey): Promise<void>;
}

export interface VaultOptions extends MasterKeyOptions {
  store: WrappedKeyStore;
}

/**
 * Seals and opens every secret at rest. The data key is random, wrapped by the master key and kept beside the
 * data; replacing the master key (key-rotation.ts) re-wraps it and touches nothing else.
 *
 * While it is locked, everything that needs the data key throws `vault_locked`. Keyed hashes go on: their key is
 * derived and opens nothing, and sessions and API keys are found by them.
 */
export class Vault {
  #source: KeySource;
  #keychainProblem: string | undefined;
  /** Undefined while the vault is locked. */
  #dataKey: KeyObject | undefined;
  readonly #lookupKey: KeyObject;
  readonly #lockListeners: Array<() => void> = [];

  /** Takes the data key over: its bytes are overwritten, so that no copy stays outside of the key object. */
  constructor(unlocked: UnlockedKey) {
    this.#source = unlocked.source;
    this.#keychainProblem = unlocked.keychainProblem;
    this.#dataKey = takeKey(unlocked);
    this.#lookupKey = createSecretKey(this.subkey('lookup'));
  }

  /** Opens the vault of a data folder, or makes one. A wrong or lost key throws MasterKeyError and changes nothing. */
  static async open({ store, ...options }: VaultOptions): Promise<Vault> {
    return Vault.start(await unlockDataKey(options, await store.load()), store);
  }

  /** The vault of a data key that is unlocked already; first stores what has to be kept of it. */
  static async start(unlocked: UnlockedKey, store: Pick<WrappedKeyStore, 'save'>): Promise<Vault> {
    if (unlocked.toStore) await store.save(unlocked.toStore);
    return new Vault(unlocked);
  }

  /** Where the master key is; `file` deserves a warning in the UI. */
  get source(): KeySource {
    return this.#source;
  }

  /** Why the keychain was not used, when it was not. */
  get keychainProblem(): string | undefined {
    return this.#keychainProblem;
  }

  get isLocked(): boolean {
    return this.#dataKey === undefined;
  }

  /** Throws `vault_locked` while it is locked. */
  assertUnlocked(): void {
    this.#openKey();
  }

  /** Forgets the data key; those who keep opened secrets in memory forget them too (`onLock`). */
  lock(): void {
    if (this.isLocked) return;
    // Node overwrites the memory of a key object when it is collected.
    this.#dataKey = undefined;
    for (const forget of this.#lockListeners) forget();
  }

  /** Takes the data key of the same data folder again. */
  unlock(unlocked: UnlockedKey): void {
    this.#source = unlocked.source;
    this.#keychainProblem = unlocked.keychainProblem;
    this.#dataKey = takeKey(unlocked);
  }

  /** Called at every lock: a holder of opened secrets drops them there. */
  onLock(forget: () => void): void {
    this.#lockListeners.push(forget);
  }

  /** The master key was replaced or moved; what is sealed stays as it is. */
  noteSource(source: KeySource): void {
    this.#source = source;
  }

  /** The data key itself, to be wrapped under a new master key. */
  exportDataKey(): Buffer {
    return this.#openKey().export();
  }

  /**
   * Seals `plain` for the row and field that `context` names ("connection:42:credentials"); it opens with the same
   * context only.
   */
  seal(plain: string | Buffer, context: string): string {
    return seal(this.#openKey(), plain, context);
  }

  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString('utf8');
  }

  openBytes(sealed: string, context: string): Buffer {
    return unseal(this.#openKey(), sealed, context);
  }

  sealJson(value: unknown, context: string): string {
    return this.seal(JSON.stringify(value), context);
  }

  openJson<T>(sealed: string, context: string): T {
    return JSON.parse(this.open(sealed, context)) as T;
  }

  /** Keyed hash by which a secret is found without being stored in clear. */
  lookupHash(secret: string): string {
    return createHmac('sha256', this.#lookupKey).update(secret).digest('hex');
  }

  /** A 32-byte key derived for one purpose; other purposes give unrelated keys. */
  subkey(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#openKey(), Buffer.alloc(0), `homeport:${purpose}`, 32));
  }

  /** As `subkey`, for callers that seal by themselves: the key is forgotten with the data key, and asking throws then. */
  sealingKey(purpose: string): () => KeyObject {
    let key: KeyObject | undefined;
    this.onLock(() => {
      key = undefined;
    });
    return () => {
      key ??= createSecretKey(this.subkey(purpose));
      return key;
    };
  }

  #openKey(): KeyObject {
    if (this.#dataKey === undefined)
      throw new HomeportError(
        'vault_locked',
        'The vault is locked. Unlock it in Homeport (Settings, Vault) and try again.',
      );
    return this.#dataKey;
  }
}

function takeKey({ dataKey }: UnlockedKey): KeyObject {
  const key = createSecretKey(dataKey);
  dataKey.fill(0);
  return key;
}
