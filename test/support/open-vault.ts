import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Vault } from '../../server/platform/vault/vault.ts';

/** An open vault with a master key of its own, which nothing stores. */
export const openVault = (home: string): Promise<Vault> =>
  Vault.open({
    override: randomBytes(32).toString('base64'),
    keychain: { read: async () => undefined, write: async () => {}, remove: async () => {} },
    keyFile: join(home, 'master.key'),
    store: { load: async () => undefined, save: async () => {} },
  });
