import { openOsKeychain } from '../../../server/vault/keychain.ts';
import { Vault } from '../../../server/vault/vault.ts';

/** Runs inside a session bus with a real keyring (os-keychain.test.ts) and reports what happened on stdout. */
const keychain = openOsKeychain();
const store = {
  wrapped: undefined as string | undefined,
  load: async () => store.wrapped,
  save: async (wrapped: string) => {
    store.wrapped = wrapped;
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

const own = (await keychain.read('master-key')) ?? '';
await keychain.write('master-key', Buffer.alloc(32, 7).toString('base64'));
console.log(`foreign key: ${await nameOf(open())}`);

await keychain.remove('master-key');
console.log(`removed: ${(await nameOf(open())).includes('is lost') ? 'lost' : 'not lost'}`);
await keychain.write('master-key', own);
