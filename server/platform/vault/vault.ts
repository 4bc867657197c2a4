import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { HomeportError } from '../lib/homeport-error.ts';
import { createDropBox, type DropBox, isInDropBox, takeOut } from './drop-box.ts';
import {
  type KeySource,
  type MasterKeyOptions,
  type StoredKey,
  type UnlockedKey,
  unlockDataKey,
} from './master-key.ts';
import { seal, unseal } from './seal.ts';

/** The purpose of the subkey that opens what was sealed while the vault was locked. */
const DROP_BOX = 'drop-box';

/** The storage of the wrapped data key: a database. */
export interface WrappedKeyStore {
  load(): Promise<StoredKey | undefined>;
  save(key: StoredKey): Promise<void>;
}

export interface VaultOptions extends MasterKeyOptions {
  store: WrappedKeyStore;
}

/**
 * Seals and opens every secret at rest. The data key is random, wrapped by the master key and stored beside the data;
 * replacing the master key (key-rotation.ts) wraps the data key again and leaves everything else unchanged. While the
 * vault is locked, everything that needs the data key throws `vault_locked`. Keyed hashes still work, because sessions
 * and API keys are found by them, and so does `sealJsonAlways`: their keys are derived from the data key and cannot open
 * anything.
 */
export class Vault {
  #source: KeySource;
  #keychainProblem: string | undefined;
  /** Undefined while the vault is locked. */
  #dataKey: KeyObject | undefined;
  readonly #lookupKey: KeyObject;
  readonly #dropBox: DropBox;
  readonly #lockListeners: Array<() => void> = [];

  /** Takes ownership of the data key: its bytes are overwritten, so that the only copy is the key object. */
  constructor(unlocked: UnlockedKey) {
    this.#source = unlocked.source;
    this.#keychainProblem = unlocked.keychainProblem;
    this.#dataKey = takeKey(unlocked);
    this.#lookupKey = createSecretKey(this.subkey('lookup'));
    this.#dropBox = createDropBox(this.subkey(DROP_BOX));
  }

  /**
   * Opens the vault of a data folder, or creates one. Throws MasterKeyError for a wrong or lost key, and then changes
   * nothing.
   */
  static async open({ store, ...options }: VaultOptions): Promise<Vault> {
    return Vault.start(await unlockDataKey(options, await store.load()), store);
  }

  /** A vault with a data key that is already unlocked. Stores `toStore` of the key first. */
  static async start(unlocked: UnlockedKey, store: Pick<WrappedKeyStore, 'save'>): Promise<Vault> {
    if (unlocked.toStore) await store.save(unlocked.toStore);
    return new Vault(unlocked);
  }

  /** Where the master key is kept; the UI warns about `file`. */
  get source(): KeySource {
    return this.#source;
  }

  /** Why the keychain was not used; undefined when it was used. */
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

  /** Drops the data key and calls the `onLock` listeners. */
  lock(): void {
    if (this.isLocked) return;
    // Node overwrites the memory of a key object when it is collected.
    this.#dataKey = undefined;
    for (const listener of this.#lockListeners) listener();
  }

  /** Takes the data key of the same data folder back after `lock`. */
  unlock(unlocked: UnlockedKey): void {
    this.#source = unlocked.source;
    this.#keychainProblem = unlocked.keychainProblem;
    this.#dataKey = takeKey(unlocked);
  }

  /** Registers a callback for every lock, which must drop opened secrets from memory. */
  onLock(listener: () => void): void {
    this.#lockListeners.push(listener);
  }

  /** Sets where the master key is after it was replaced or moved; sealed values stay unchanged. */
  setSource(source: KeySource): void {
    this.#source = source;
  }

  /** The data key in clear, to be wrapped with a new master key. */
  exportDataKey(): Buffer {
    return this.#openKey().export();
  }

  /**
   * Seals `plain` for the row and field that `context` names ("connection:42:credentials"). It opens with the same
   * context only.
   */
  seal(plain: string | Buffer, context: string): string {
    return seal(this.#openKey(), plain, context);
  }

  /** Throws UnsealError for a value that was sealed with another key or context, or changed. */
  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString('utf8');
  }

  openBytes(sealed: string, context: string): Buffer {
    if (isInDropBox(sealed)) return takeOut(this.subkey(DROP_BOX), sealed, context);
    return unseal(this.#openKey(), sealed, context);
  }

  sealJson(value: unknown, context: string): string {
    return this.seal(JSON.stringify(value), context);
  }

  /**
   * As `sealJson`, also while the vault is locked: for what a provider gives only once, such as a new refresh token. It
   * opens after the next unlock.
   */
  sealJsonAlways(value: unknown, context: string): string {
    return this.isLocked ? this.#dropBox.put(JSON.stringify(value), context) : this.sealJson(value, context);
  }

  openJson<T>(sealed: string, context: string): T {
    return JSON.parse(this.open(sealed, context)) as T;
  }

  /**
   * The keyed hash by which a secret is found, so that the secret itself is not stored. Works while the vault is
   * locked.
   */
  lookupHash(secret: string): string {
    return createHmac('sha256', this.#lookupKey).update(secret).digest('hex');
  }

  /** A 32-byte key derived for one purpose; keys for other purposes are unrelated to it. */
  subkey(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#openKey(), Buffer.alloc(0), `homeport:${purpose}`, 32));
  }

  /**
   * As `subkey`, for callers that seal by themselves. The key is dropped at a lock; then the returned function throws.
   */
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
