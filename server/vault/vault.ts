import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
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
 */
export class Vault {
  /** Why the keychain was not used, when it was not. */
  readonly keychainProblem: string | undefined;
  #source: KeySource;
  readonly #dataKey: KeyObject;
  readonly #lookupKey: KeyObject;

  constructor({ dataKey, source, keychainProblem }: UnlockedKey) {
    this.#dataKey = createSecretKey(dataKey);
    this.#lookupKey = createSecretKey(this.subkey('lookup'));
    this.#source = source;
    this.keychainProblem = keychainProblem;
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

  /** The master key was replaced or moved; what is sealed stays as it is. */
  noteSource(source: KeySource): void {
    this.#source = source;
  }

  /** The data key itself, to be wrapped under a new master key. */
  exportDataKey(): Buffer {
    return this.#dataKey.export();
  }

  /**
   * Seals `plain` for the row and field that `context` names ("connection:42:credentials"); it opens with the same
   * context only.
   */
  seal(plain: string | Buffer, context: string): string {
    return seal(this.#dataKey, plain, context);
  }

  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString('utf8');
  }

  openBytes(sealed: string, context: string): Buffer {
    return unseal(this.#dataKey, sealed, context);
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
    return Buffer.from(hkdfSync('sha256', this.#dataKey, Buffer.alloc(0), `homeport:${purpose}`, 32));
  }
}
