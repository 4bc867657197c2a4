import { randomBytes } from 'node:crypto';
import { readKeyFile, replaceKeyFile } from './key-file.ts';
import {
  type FoundKey,
  findMasterKey,
  KEY_BYTES,
  keepInKeychain,
  MasterKeyError,
  type MasterKeyOptions,
  type Opened,
  SHARED_ACCOUNT,
  unwrapDataKey,
  wrapDataKey,
} from './master-key.ts';
import type { WrappedKeyStore } from './vault.ts';

/** A new key, or the same one; where it is kept from now on. A given key is kept by its giver. */
export type KeyChange = { key: 'new' | 'same'; to: 'keychain' | 'file' } | { key: Buffer; to: 'environment' };

export interface ReplaceMasterKeyOptions extends MasterKeyOptions {
  /** The database. */
  store: WrappedKeyStore;
  /** Its backups, which hold a wrapped key of their own. */
  copies: readonly WrappedKeyStore[];
  /** Of a hub that runs: it takes a new master key when the old one was lost meanwhile. */
  openDataKey?: Buffer;
}

/** What opens the data now; without `found` the master key is lost and the hub still has what it opened. */
type Old = Pick<Opened, 'dataKey'> & { found: FoundKey | undefined };

export interface ReplacedMasterKey {
  source: FoundKey['source'];
  /** Backups that the old key did not open; they stay as they are. */
  closedCopies: number;
}

/**
 * Replaces or moves the master key. The order makes a kill at any moment harmless: the new key is kept first, then
 * the database and after it each backup change from one key to the other, and only then the old key is removed.
 * Meanwhile both keys are found: an entry of the keychain by the name in each file, the key file by holding both.
 * A lost key is replaced as long as `openDataKey` is there; backups that only it opens stay as they are.
 * Throws MasterKeyError when no key opens the database, KeychainUnavailableError when the new one cannot be kept.
 */
export async function replaceMasterKey(
  options: ReplaceMasterKeyOptions,
  change: KeyChange,
): Promise<ReplacedMasterKey> {
  const stored = await options.store.load();
  if (!stored) throw new Error('The database holds no key yet.');
  const old = await findMasterKey(options, stored).catch((error: unknown): Old => {
    const isLost = error instanceof MasterKeyError && error.isDataClosed;
    if (!isLost || !options.openDataKey || change.key === 'same') throw error;
    return { dataKey: options.openDataKey, found: undefined };
  });
  const next = await keep(options, old, change);
  await options.store.save(wrapDataKey(next, old.dataKey));
  const closedCopies = await rewrapCopies(options, old.found, next);
  await removeOld(options, old.found, next);
  return { source: next.source, closedCopies };
}

async function keep({ keychain, keyFile }: MasterKeyOptions, old: Old, change: KeyChange): Promise<FoundKey> {
  if (change.to === 'environment') return { key: change.key, source: 'environment' };
  const key = change.key === 'same' && old.found ? old.found.key : randomBytes(KEY_BYTES);
  if (change.to === 'keychain') return { key, source: 'keychain', account: await keepInKeychain(keychain, key) };
  const text = key.toString('base64');
  const filed = await readKeyFile(keyFile);
  if (!filed.includes(text)) await replaceKeyFile(keyFile, [...filed, text]);
  return { key, source: 'file' };
}

async function rewrapCopies(
  options: ReplaceMasterKeyOptions,
  old: FoundKey | undefined,
  next: FoundKey,
): Promise<number> {
  let closed = 0;
  for (const copy of options.copies) {
    const stored = await copy.load();
    const dataKey = stored && ((old && unwrapDataKey(old.key, stored)) ?? (await openWithAny(options, stored)));
    if (dataKey) await copy.save(wrapDataKey(next, dataKey));
    else closed += 1;
  }
  return closed;
}

/** A backup that an earlier replacement did not reach, because it was cut off: its own key is still there. */
async function openWithAny(
  options: MasterKeyOptions,
  stored: Parameters<typeof findMasterKey>[1],
): Promise<Buffer | undefined> {
  return findMasterKey(options, stored).then(
    ({ dataKey }) => dataKey,
    // Made under a key that is not here: it stays as it is, and the caller says so.
    () => undefined,
  );
}

/** The shared entry of the keychain stays: other data folders may depend on it. */
async function removeOld(
  { keychain, keyFile }: MasterKeyOptions,
  old: FoundKey | undefined,
  next: FoundKey,
): Promise<void> {
  if (!old) return;
  if (old.account !== undefined && old.account !== SHARED_ACCOUNT) await keychain.remove(old.account);
  if (next.source === 'file') await replaceKeyFile(keyFile, [next.key.toString('base64')]);
  else if (old.source === 'file') await replaceKeyFile(keyFile, []);
}
