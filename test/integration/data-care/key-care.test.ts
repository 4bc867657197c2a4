import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyCare, type KeyCare } from '../../../server/data/key-care.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { type Keychain, KeychainUnavailableError } from '../../../server/platform/vault/keychain.ts';
import type { KeySource, MasterKeyOptions } from '../../../server/platform/vault/master-key.ts';
import { VaultStore } from '../../../server/platform/vault/vault.store.ts';
import { Vault } from '../../../server/platform/vault/vault.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/** A keychain that can be locked. */
class PersonsKeychain implements Keychain {
  readonly entries = new Map<string, string>();
  isLocked = false;

  read = async (account: string): Promise<string | undefined> => this.#open().get(account);
  write = async (account: string, value: string): Promise<void> => void this.#open().set(account, value);
  remove = async (account: string): Promise<void> => void this.#open().delete(account);

  #open(): Map<string, string> {
    if (this.isLocked) throw new KeychainUnavailableError('The keychain is locked.', { isLocked: true });
    return this.entries;
  }
}

describe('KeyCare', () => {
  let home: TempHome;
  let database: Database;
  let vault: Vault;
  let care: KeyCare;
  let keychain: PersonsKeychain;
  const steps: string[] = [];

  beforeEach(async () => {
    home = await createTempHome();
    const clock = new FakeClock();
    database = await Database.open({ file: join(home.path, 'homeport.db') });
    for (const sql of MIGRATIONS.flatMap(({ statements }) => statements)) await database.maintenance(sql);
    keychain = new PersonsKeychain();
    const keySources: MasterKeyOptions = { keychain, keyFile: join(home.path, 'master.key') };
    const rows = new VaultStore();
    vault = await Vault.open({
      ...keySources,
      store: {
        load: () => rows.findWrappedKey<KeySource>(database.reader),
        save: (key) => database.transaction((tx) => rows.upsertWrappedKey(tx, key, 0)),
      },
    });
    steps.length = 0;
    vault.onLock(() => steps.push('forget'));
    care = createKeyCare({
      database,
      vault,
      keySources,
      scheduler: {
        hold: async () => void steps.push('hold'),
        release: () => void steps.push('release'),
      },
      backups: new BackupFolder({ home: home.path, clock }),
      clock,
      logger: silentLogger,
      events: { emit: () => void steps.push('health') },
    });
  });
  afterEach(async () => {
    await care.stop();
    await database.close();
    await home.remove();
  });

  it('pauses the jobs before it removes the key from memory, and resumes them after it has the key again', async () => {
    const sealed = vault.seal('secret', 'a');

    await care.lock();
    expect(vault.isLocked).toBe(true);
    await care.unlock();

    expect(steps).toEqual(['hold', 'forget', 'health', 'health', 'release']);
    expect(vault.open(sealed, 'a')).toBe('secret');
  });

  it('does not lock while the key is not where it should be: nothing could unlock it again', async () => {
    const entries = [...keychain.entries];
    keychain.entries.clear();

    await expect(care.lock()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^The vault was not locked.*no longer holds it/),
    });
    expect([vault.isLocked, steps]).toEqual([false, []]);

    for (const [account, key] of entries) keychain.entries.set(account, key);
    await care.lock();
    expect(vault.isLocked).toBe(true);
  });

  it('stays locked while the keychain is, and says so', async () => {
    await care.lock();
    keychain.isLocked = true;

    await expect(care.unlock()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/The keychain is locked.*Unlock the keychain and try again/),
    });
    expect([vault.isLocked, steps.includes('release')]).toEqual([true, false]);

    keychain.isLocked = false;
    await care.unlock();
    expect(vault.isLocked).toBe(false);
  });

  it('stays locked with another key in place of its own', async () => {
    await care.lock();
    for (const account of keychain.entries.keys()) keychain.entries.set(account, randomBytes(32).toString('base64'));

    await expect(care.unlock()).rejects.toThrow('does not open this data folder');
    expect(vault.isLocked).toBe(true);
  });

  it('replaces no key while it is locked, and opens with the new one after a replacement', async () => {
    await care.lock();
    await expect(care.rotate()).rejects.toMatchObject({ code: 'vault_locked' });
    await care.unlock();
    const sealed = vault.seal('secret', 'a');

    await care.rotate();
    await care.lock();
    await care.unlock();

    expect(vault.open(sealed, 'a')).toBe('secret');
  });
});
