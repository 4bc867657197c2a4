import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyChange, type ReplacedMasterKey, replaceMasterKey } from './key-rotation.ts';
import { type Keychain, KeychainUnavailableError } from './keychain.ts';
import { type MasterKeyOptions, type StoredKey, unlockDataKey } from './master-key.ts';
import { Vault, type WrappedKeyStore } from './vault.ts';

const CONTEXT = 'connection:1:credentials';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-rotation-'));
});
afterEach(() => rm(folder, { recursive: true }));

class Cut extends Error {}

/** A data folder with two backups. Its writes can be cut off before any one of them, as a kill does. */
class Data {
  readonly entries = new Map<string, string>();
  readonly stored: Array<StoredKey | undefined> = [undefined, undefined, undefined];
  readonly keyFile = join(folder, 'master.key');
  hasKeychain = true;
  override: string | undefined;
  cutBefore = Number.POSITIVE_INFINITY;
  #writes = 0;
  sealed = '';

  #write(work: () => void): void {
    this.#writes += 1;
    if (this.#writes > this.cutBefore) throw new Cut();
    work();
  }

  get writes(): number {
    return this.#writes;
  }

  get options(): MasterKeyOptions {
    const ask = async <T>(work: () => T): Promise<T> => {
      if (!this.hasKeychain) throw new KeychainUnavailableError('There is no keychain here.');
      return work();
    };
    const keychain: Keychain = {
      read: (account) => ask(() => this.entries.get(account)),
      write: (account, value) => ask(() => this.#write(() => this.entries.set(account, value))),
      remove: (account) => ask(() => this.#write(() => this.entries.delete(account))),
    };
    return { keychain, keyFile: this.keyFile, ...(this.override === undefined ? {} : { override: this.override }) };
  }

  store(index: number): WrappedKeyStore {
    return {
      load: async () => this.stored[index],
      save: async (key) => this.#write(() => (this.stored[index] = key)),
    };
  }

  async make(): Promise<void> {
    const vault = await Vault.open({ ...this.options, store: this.store(0) });
    this.sealed = vault.seal('secret', CONTEXT);
    this.stored[1] = this.stored[0];
    this.stored[2] = this.stored[0];
    this.#writes = 0;
  }

  async replace(change: KeyChange): Promise<ReplacedMasterKey> {
    this.#writes = 0;
    return replaceMasterKey({ ...this.options, store: this.store(0), copies: [this.store(1), this.store(2)] }, change);
  }

  /** Opens the database and both backups, as a later start or restore does. */
  async open(): Promise<string[]> {
    const opened = await Promise.all(this.stored.map((stored) => unlockDataKey(this.options, stored)));
    return opened.map((unlocked) => new Vault(unlocked).open(this.sealed, CONTEXT));
  }

  async keys(): Promise<{ keychain: number; file: number }> {
    const text = await readFile(this.keyFile, 'utf8').catch(() => '');
    return { keychain: this.entries.size, file: text.split('\n').filter(Boolean).length };
  }
}

const WAYS: Array<{ from: 'keychain' | 'file'; change: KeyChange }> = [
  { from: 'keychain', change: { key: 'new', to: 'keychain' } },
  { from: 'file', change: { key: 'new', to: 'file' } },
  { from: 'keychain', change: { key: 'same', to: 'file' } },
  { from: 'file', change: { key: 'same', to: 'keychain' } },
];

async function dataIn(from: 'keychain' | 'file'): Promise<Data> {
  const data = new Data();
  data.hasKeychain = from === 'keychain';
  await data.make();
  data.hasKeychain = true;
  return data;
}

describe('replaceMasterKey', () => {
  it.each(WAYS)(
    'keeps everything open and one key: $from, a $change.key key to the $change.to',
    async ({ from, change }) => {
      const data = await dataIn(from);
      const before = data.stored[0]?.wrappedKey;

      const { source, closedCopies } = await data.replace(change);

      expect({ source, closedCopies }).toEqual({ source: change.to, closedCopies: 0 });
      expect(await data.open()).toEqual(['secret', 'secret', 'secret']);
      expect(await data.keys()).toEqual(change.to === 'file' ? { keychain: 0, file: 1 } : { keychain: 1, file: 0 });
      expect(data.stored.every((stored) => stored?.wrappedKey !== before && stored?.source === change.to)).toBe(true);
      if (change.to === 'file') expect((await stat(data.keyFile)).mode & 0o777).toBe(0o600);
    },
  );

  it.each(WAYS)(
    'cut off before any write, it opens and can be done again: $from, a $change.key key to the $change.to',
    async ({ from, change }) => {
      for (let cut = 0; cut < 10; cut += 1) {
        const data = await dataIn(from);
        data.cutBefore = cut;
        const isWhole = await data.replace(change).then(
          () => true,
          (error: unknown) => {
            if (error instanceof Cut) return false;
            throw error;
          },
        );
        data.cutBefore = Number.POSITIVE_INFINITY;

        expect(await data.open(), `cut before write ${cut + 1}`).toEqual(['secret', 'secret', 'secret']);
        await data.replace({ key: 'new', to: change.to as 'file' });
        expect(await data.open(), `again after a cut before write ${cut + 1}`).toEqual(['secret', 'secret', 'secret']);
        await rm(data.keyFile, { force: true });
        if (isWhole) return;
      }
      throw new Error('it never came to its end');
    },
  );

  it('goes from one given key to another, and names a backup that neither opens', async () => {
    const data = new Data();
    data.override = randomBytes(32).toString('base64');
    await data.make();
    const foreign = new Data();
    await foreign.make();
    data.stored[2] = foreign.stored[0];
    const next = randomBytes(32);

    const { closedCopies } = await data.replace({ key: next, to: 'environment' });

    expect(closedCopies).toBe(1);
    expect(data.stored[2]).toBe(foreign.stored[0]);
    await expect(unlockDataKey(data.options, data.stored[0])).rejects.toThrow('does not open');
    data.override = next.toString('base64');
    const vault = new Vault(await unlockDataKey(data.options, data.stored[1]));
    expect(vault.open(data.sealed, CONTEXT)).toBe('secret');
  });

  it('changes nothing when the keychain does not take the key', async () => {
    const data = await dataIn('file');
    data.hasKeychain = false;

    await expect(data.replace({ key: 'same', to: 'keychain' })).rejects.toThrow(KeychainUnavailableError);

    expect(await data.open()).toEqual(['secret', 'secret', 'secret']);
    expect(await data.keys()).toEqual({ keychain: 0, file: 1 });
  });
});
