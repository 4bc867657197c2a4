import { openOsKeychain } from '../../../server/platform/vault/keychain.ts';
import type { StoredKey } from '../../../server/platform/vault/master-key.ts';
import { Vault } from '../../../server/platform/vault/vault.ts';

/** Runs inside a session bus with a real keyring (os-keychain.test.ts) and reports the results on stdout. */
const keychain = openOsKeychain();
const store = {
  stored: undefined as StoredKey | undefined,
  load: async () => store.stored,
  save: async (key: StoredKey) => {
    store.stored = key;
  },
};
const open = (): Promise<Vault> => Vault.open({ store, keychain, keyFile: '/nonexistent/master.key' });
const nameOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'opened',
    (error: Error) => `${error.name} ${error.message}`,
  );

const first = await open();
const again = await open();
const isKept = again.open(first.seal('canary', 'place'), 'place') === 'canary';
console.log(`kept: ${isKept ? again.source : 'no'}`);

const account = store.stored?.account ?? '';
const own = (await keychain.read(account)) ?? '';
await keychain.write(account, Buffer.alloc(32, 7).toString('base64'));
console.log(`foreign key: ${await nameOf(open())}`);

await keychain.remove(account);
console.log(`removed: ${await nameOf(open())}`);

// As the previous version left it: one entry for all data folders.
await keychain.write('master-key', own);
store.stored = { wrappedKey: store.stored?.wrappedKey ?? '', source: 'keychain' };
console.log(`shared entry: ${await nameOf(open())}`);
const moved = store.stored?.account ?? '';
console.log(`moved: ${moved !== account && (await keychain.read(moved)) === own}`);
console.log(`shared entry kept: ${(await keychain.read('master-key')) === own}`);
