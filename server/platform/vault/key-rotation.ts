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

/**
 * Which key is used from now on, and where it is stored. A key that the user gives in the environment is not stored.
 */
export type KeyChange = { key: 'new' | 'same'; to: 'keychain' | 'file' } | { key: Buffer; to: 'environment' };

export interface ReplaceMasterKeyOptions extends MasterKeyOptions {
  /** The database. */
  store: WrappedKeyStore;
  /** The backups of the database; each contains its own wrapped key. */
  copies: readonly WrappedKeyStore[];
  /** The data key of a running hub. With it a new master key can replace one that was lost meanwhile. */
  openDataKey?: Buffer;
}

/**
 * The data key, and the master key that opens it. Without `found` the master key is lost, and the data key comes from
 * the running hub.
 */
type Old = Pick<Opened, 'dataKey'> & { found: FoundKey | undefined };

export interface ReplacedMasterKey {
  source: FoundKey['source'];
  /** Number of backups that the old key did not open; they are left unchanged. */
  closedCopies: number;
}

/**
 * Replaces or moves the master key. The order makes a kill at any moment harmless: the new key is stored first; then
 * the database and each backup change from the old key to the new one; the old key is removed last. Meanwhile both keys
 * can be found: in the keychain by the entry name that each file holds, in the key file because it holds both. A lost
 * key is replaced as long as `openDataKey` is given; backups that only the lost key opens are left unchanged. Throws
 * MasterKeyError when no key opens the database, KeychainUnavailableError when the new key cannot be stored.
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
  const next = await storeNewKey(options, old, change);
  await options.store.save(wrapDataKey(next, old.dataKey));
  const closedCopies = await rewrapCopies(options, old.found, next);
  await removeOld(options, old.found, next);
  return { source: next.source, closedCopies };
}

async function storeNewKey({ keychain, keyFile }: MasterKeyOptions, old: Old, change: KeyChange): Promise<FoundKey> {
  if (change.to === 'environment') return { key: change.key, source: 'environment' };
  const key = change.key === 'same' && old.found ? old.found.key : randomBytes(KEY_BYTES);
  if (change.to === 'keychain') return { key, source: 'keychain', account: await keepInKeychain(keychain, key) };
  const text = key.toString('base64');
  const inFile = await readKeyFile(keyFile);
  if (!inFile.includes(text)) await replaceKeyFile(keyFile, [...inFile, text]);
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

/** Opens a backup that an earlier, interrupted replacement did not change: its key still exists. */
async function openWithAny(
  options: MasterKeyOptions,
  stored: Parameters<typeof findMasterKey>[1],
): Promise<Buffer | undefined> {
  try {
    return (await findMasterKey(options, stored)).dataKey;
  } catch (error) {
    // The backup was made with a key that is lost: it is left unchanged, and the caller reports it.
    if (error instanceof MasterKeyError) return undefined;
    throw error;
  }
}

/** The shared keychain entry is kept: other data folders may depend on it. */
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
