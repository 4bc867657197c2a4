import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Keychain, KeychainUnavailableError } from './keychain.ts';
import { MasterKeyError } from './master-key.ts';
import { Vault, type WrappedKeyStore } from './vault.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-vault-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What the database would keep. */
function memoryStore(): WrappedKeyStore & { wrapped: string | undefined } {
  const store = {
    wrapped: undefined as string | undefined,
    load: async () => store.wrapped,
    save: async (wrapped: string) => {
      store.wrapped = wrapped;
    },
  };
  return store;
}

function memoryKeychain(entries = new Map<string, string>()): Keychain & { entries: Map<string, string> } {
  return {
    entries,
    read: async (account) => entries.get(account),
    write: async (account, value) => void entries.set(account, value),
    remove: async (account) => void entries.delete(account),
  };
}

const noKeychain: Keychain = {
  read: () => Promise.reject(new KeychainUnavailableError('There is no keychain here.')),
  write: () => Promise.reject(new KeychainUnavailableError('There is no keychain here.')),
  remove: () => Promise.reject(new KeychainUnavailableError('There is no keychain here.')),
};

describe('Vault', () => {
  it('makes its key in the keychain and opens with it again', async () => {
    const keychain = memoryKeychain();
    const store = memoryStore();
    const first = await Vault.open({ store, keychain, keyFile: join(folder, 'master.key') });

    const again = await Vault.open({ store, keychain, keyFile: join(folder, 'master.key') });

    expect(first.source).toBe('keychain');
    expect(again.open(first.seal('secret', 'a'), 'a')).toBe('secret');
    expect(again.lookupHash('x')).toBe(first.lookupHash('x'));
  });

  it('falls back to a key file that only its owner can read, and says why', async () => {
    const keyFile = join(folder, 'master.key');
    const store = memoryStore();

    const vault = await Vault.open({ store, keychain: noKeychain, keyFile });

    expect(vault.source).toBe('file');
    expect(vault.keychainProblem).toContain('no keychain');
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFile(keyFile, 'utf8'), 'base64')).toHaveLength(32);
    const again = await Vault.open({ store, keychain: noKeychain, keyFile });
    expect(again.open(vault.seal('secret', 'a'), 'a')).toBe('secret');
  });

  it('keeps opening with its key file after a keychain appeared', async () => {
    const keyFile = join(folder, 'master.key');
    const store = memoryStore();
    await Vault.open({ store, keychain: noKeychain, keyFile });
    const keychain = memoryKeychain(new Map([['master-key', randomBytes(32).toString('base64')]]));

    const vault = await Vault.open({ store, keychain, keyFile });

    expect(vault.source).toBe('file');
  });

  it('prefers the override and touches neither keychain nor file', async () => {
    const keychain = memoryKeychain();
    const override = randomBytes(32).toString('base64');

    const vault = await Vault.open({ store: memoryStore(), keychain, keyFile: join(folder, 'master.key'), override });

    expect(vault.source).toBe('environment');
    expect(keychain.entries.size).toBe(0);
    await expect(stat(join(folder, 'master.key'))).rejects.toThrow('ENOENT');
  });

  it('refuses a wrong key and changes nothing', async () => {
    const store = memoryStore();
    const open = (override: string) =>
      Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key'), override });
    await open(randomBytes(32).toString('base64'));
    const before = store.wrapped;

    await expect(open(randomBytes(32).toString('base64'))).rejects.toThrow(/does not open this data folder/);

    expect(store.wrapped).toBe(before);
  });

  it('calls a lost key lost', async () => {
    const store = memoryStore();
    await Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });

    const opening = Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });

    await expect(opening).rejects.toThrow(MasterKeyError);
    await expect(opening).rejects.toThrow(/is lost/);
  });

  it('says what a key must look like', async () => {
    const opening = Vault.open({
      store: memoryStore(),
      keychain: memoryKeychain(),
      keyFile: join(folder, 'master.key'),
      override: 'too short',
    });

    await expect(opening).rejects.toThrow(/HOMEPORT_MASTER_KEY is not base64 of 32 bytes/);
  });
});
