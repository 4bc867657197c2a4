import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Keychain, KeychainUnavailableError } from './keychain.ts';
import { MasterKeyError, type StoredKey, unlockDataKey } from './master-key.ts';
import { UnsealError } from './seal.ts';
import { Vault, type WrappedKeyStore } from './vault.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-vault-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Keeps in memory what the database stores. */
function memoryStore(): WrappedKeyStore & { stored: StoredKey | undefined } {
  const store = {
    stored: undefined as StoredKey | undefined,
    load: async () => store.stored,
    save: async (key: StoredKey) => {
      store.stored = key;
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

  it('opens a new data folder with the empty key file of a process that was killed', async () => {
    const keyFile = join(folder, 'master.key');
    await writeFile(keyFile, '');
    const store = memoryStore();

    const vault = await Vault.open({ store, keychain: noKeychain, keyFile });

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
    const before = store.stored;

    await expect(open(randomBytes(32).toString('base64'))).rejects.toThrow(/does not open this data folder/);

    expect(store.stored).toBe(before);
  });

  it('calls a lost key lost', async () => {
    const store = memoryStore();
    await Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });

    const opening = Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });

    await expect(opening).rejects.toThrow(MasterKeyError);
    await expect(opening).rejects.toThrow(/is locked or no longer holds it/);
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

  it('has an entry of the keychain for each data folder', async () => {
    const keychain = memoryKeychain();
    const stores = [memoryStore(), memoryStore()];
    // Two first starts of two data folders at the same time.
    const vaults = await Promise.all(
      stores.map((store) => Vault.open({ store, keychain, keyFile: join(folder, 'master.key') })),
    );

    expect(keychain.entries.size).toBe(2);
    for (const [index, store] of stores.entries()) {
      const again = await Vault.open({ store, keychain, keyFile: join(folder, 'master.key') });
      expect(again.open(vaults[index]?.seal('secret', 'a') ?? '', 'a')).toBe('secret');
    }
  });

  it('moves a key of the shared entry to an entry of its own, and leaves the shared one to other folders', async () => {
    const keychain = memoryKeychain();
    const [one, other] = [memoryStore(), memoryStore()];
    const options = { keychain, keyFile: join(folder, 'master.key') };
    const first = await Vault.open({ ...options, store: one });
    await Vault.open({ ...options, store: other });
    // The previous version kept both keys under one entry.
    const [account = '', key = ''] = [...keychain.entries][0] ?? [];
    keychain.entries.clear();
    keychain.entries.set('master-key', key);
    one.stored = { wrappedKey: one.stored?.wrappedKey ?? '', source: 'keychain' };

    const again = await Vault.open({ ...options, store: one });

    expect(again.open(first.seal('secret', 'a'), 'a')).toBe('secret');
    expect(keychain.entries.get('master-key')).toBe(key);
    expect(one.stored?.account).toMatch(/^master-key:./);
    expect(one.stored?.account).not.toBe(account);
    keychain.entries.delete('master-key');
    expect((await Vault.open({ ...options, store: one })).source).toBe('keychain');
  });

  it('stays with the shared entry when the keychain takes no other', async () => {
    const key = randomBytes(32).toString('base64');
    const store = memoryStore();
    await Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key'), override: key });
    store.stored = { wrappedKey: store.stored?.wrappedKey ?? '', source: 'keychain' };
    const before = store.stored;
    const keychain = { ...memoryKeychain(new Map([['master-key', key]])), write: () => Promise.reject(locked()) };

    expect((await Vault.open({ store, keychain, keyFile: join(folder, 'master.key') })).source).toBe('keychain');
    expect(store.stored).toBe(before);
  });

  it.each(['read', 'write'] as const)('makes no key when the keychain answers too late to a %s', async (question) => {
    const store = memoryStore();
    const keychain = memoryKeychain();
    const late = { ...keychain, [question]: () => Promise.reject(locked()) };

    const opening = Vault.open({ store, keychain: late, keyFile: join(folder, 'master.key') });

    await expect(opening).rejects.toThrow(MasterKeyError);
    await expect(opening).rejects.toThrow(/no answer.*Unlock the keychain and try again/);
    expect(store.stored).toBeUndefined();
    expect(keychain.entries.size).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('never writes to a keychain that could not be read', async () => {
    const keychain = memoryKeychain();
    const failing = { ...keychain, read: noKeychain.read };

    await Vault.open({ store: memoryStore(), keychain: failing, keyFile: join(folder, 'master.key') });

    expect(keychain.entries.size).toBe(0);
  });

  it('calls a key in a locked keychain locked, not lost', async () => {
    const store = memoryStore();
    await Vault.open({ store, keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });
    const keychain = { ...memoryKeychain(), read: () => Promise.reject(locked()) };

    await expect(Vault.open({ store, keychain, keyFile: join(folder, 'master.key') })).rejects.toThrow(
      /no answer.*Unlock the keychain/,
    );
  });

  it('opens with the key file whatever another entry holds', async () => {
    const keyFile = join(folder, 'master.key');
    const store = memoryStore();
    await Vault.open({ store, keychain: noKeychain, keyFile });
    const keychain = memoryKeychain(new Map([['master-key', 'no key at all']]));

    expect((await Vault.open({ store, keychain, keyFile })).source).toBe('file');
  });
});

describe('a locked vault', () => {
  const open = () =>
    Vault.open({ store: memoryStore(), keychain: memoryKeychain(), keyFile: join(folder, 'master.key') });
  const refusal = expect.objectContaining({ code: 'vault_locked', status: 423 });

  it('neither opens nor seals, nor gives a key away', async () => {
    const vault = await open();
    const sealed = vault.seal('secret', 'a');
    const key = vault.sealingKey('records');
    key();

    vault.lock();

    expect(vault.isLocked).toBe(true);
    for (const use of [
      () => vault.open(sealed, 'a'),
      () => vault.seal('secret', 'a'),
      () => vault.exportDataKey(),
      () => vault.subkey('records'),
      () => vault.assertUnlocked(),
      key,
    ])
      expect(use).toThrow(refusal);
  });

  it('still finds sessions and keys by their hash', async () => {
    const vault = await open();
    const hash = vault.lookupHash('x');

    vault.lock();

    expect(vault.lookupHash('x')).toBe(hash);
  });

  it('opens what it sealed before, once its key is read again', async () => {
    const store = memoryStore();
    const options = { keychain: memoryKeychain(), keyFile: join(folder, 'master.key') };
    const vault = await Vault.open({ ...options, store });
    const sealed = vault.seal('secret', 'a');
    const key = vault.sealingKey('records');
    const before = key().export();
    vault.lock();

    vault.unlock(await unlockDataKey(options, store.stored));

    expect(vault.open(sealed, 'a')).toBe('secret');
    expect(key().export()).toEqual(before);
  });

  it('seals what is given only once, and opens it after the next unlock', async () => {
    const store = memoryStore();
    const options = { keychain: memoryKeychain(), keyFile: join(folder, 'master.key') };
    const vault = await Vault.open({ ...options, store });
    vault.lock();

    const sealed = vault.sealJsonAlways({ token: 'new' }, 'a');
    expect(sealed).not.toContain('new');
    expect(vault.sealJsonAlways({ token: 'new' }, 'a')).not.toBe(sealed);
    expect(() => vault.openJson(sealed, 'a')).toThrow(refusal);

    vault.unlock(await unlockDataKey(options, store.stored));
    expect(vault.openJson(sealed, 'a')).toEqual({ token: 'new' });
    expect(() => vault.openJson(sealed, 'b')).toThrow(UnsealError);
    expect(() => vault.openJson(`${sealed.slice(0, -4)}AAAA`, 'a')).toThrow(UnsealError);
    expect(() => vault.openJson('box:', 'a')).toThrow(UnsealError);
    expect(vault.openJson(vault.sealJsonAlways({ token: 'open' }, 'a'), 'a')).toEqual({ token: 'open' });
  });

  it('calls the holders of opened secrets once for each lock', async () => {
    const store = memoryStore();
    const options = { keychain: memoryKeychain(), keyFile: join(folder, 'master.key') };
    const vault = await Vault.open({ ...options, store });
    let forgotten = 0;
    vault.onLock(() => {
      forgotten += 1;
    });

    vault.lock();
    vault.lock();
    expect(forgotten).toBe(1);
    vault.unlock(await unlockDataKey(options, store.stored));
    vault.lock();

    expect(forgotten).toBe(2);
  });

  it('leaves no copy of the data key in the bytes that it was given', async () => {
    const dataKey = randomBytes(32);

    new Vault({ dataKey, source: 'file' });

    expect(dataKey.every((byte) => byte === 0)).toBe(true);
  });
});

const locked = (): KeychainUnavailableError => new KeychainUnavailableError('no answer', { isLocked: true });
