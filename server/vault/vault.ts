import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import {
  createMasterKey,
  type FoundKey,
  findMasterKeys,
  type KeySource,
  MasterKeyError,
  type MasterKeyOptions,
} from './master-key.ts';
import { seal, UnsealError, unseal } from './seal.ts';

/** Where the wrapped data key lives; the vault itself knows no SQL. */
export interface WrappedKeyStore {
  load(): Promise<string | undefined>;
  save(wrappedKey: string, source: KeySource): Promise<void>;
}

export interface VaultOptions extends MasterKeyOptions {
  store: WrappedKeyStore;
}

const WRAP_CONTEXT = 'homeport:data-key:v1';

/**
 * Seals and opens every secret at rest. The data key is random, wrapped by the master key and kept beside the
 * data; rotating the master key re-wraps it and touches nothing else.
 */
export class Vault {
  /** Where the master key came from; `file` deserves a warning in the UI. */
  readonly source: KeySource;
  /** Why the keychain was not used, when it was not. */
  readonly keychainProblem: string | undefined;
  readonly #dataKey: KeyObject;
  readonly #lookupKey: KeyObject;

  private constructor(dataKey: Buffer, source: KeySource, keychainProblem: string | undefined) {
    this.#dataKey = createSecretKey(dataKey);
    this.#lookupKey = createSecretKey(this.subkey('lookup'));
    this.source = source;
    this.keychainProblem = keychainProblem;
  }

  /** Opens the vault of a data folder, or makes one. A wrong or lost key throws MasterKeyError and changes nothing. */
  static async open(options: VaultOptions): Promise<Vault> {
    const { keys, unavailable } = await findMasterKeys(options);
    const wrapped = await options.store.load();
    if (wrapped === undefined) {
      const master = keys[0] ?? (await createMasterKey(options));
      const dataKey = randomBytes(32);
      await options.store.save(seal(createSecretKey(master.key), dataKey, WRAP_CONTEXT), master.source);
      return new Vault(dataKey, master.source, unavailable);
    }
    if (keys.length === 0) {
      throw new MasterKeyError(
        `The master key of this data folder is lost: ${unavailable ?? 'the keychain holds none'} and there is no key file. ` +
          'Restore the key, or set HOMEPORT_MASTER_KEY. Nothing was changed.',
      );
    }
    const opened = tryKeys(keys, wrapped);
    if (!opened) {
      const tried = keys.map((key) => key.source).join(', ');
      throw new MasterKeyError(`The master key (${tried}) does not open this data folder. Nothing was changed.`);
    }
    return new Vault(opened.dataKey, opened.source, unavailable);
  }

  /** Seals `plain` for the place that `context` names ("connection:42:credentials"); opens only there. */
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

function tryKeys(keys: FoundKey[], wrapped: string): { dataKey: Buffer; source: KeySource } | undefined {
  for (const { key, source } of keys) {
    try {
      return { dataKey: unseal(createSecretKey(key), wrapped, WRAP_CONTEXT), source };
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
    }
  }
  return undefined;
}
