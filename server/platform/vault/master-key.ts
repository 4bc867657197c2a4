import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { type Keychain, KeychainUnavailableError } from './keychain.ts';
import { seal, UnsealError, unseal } from './seal.ts';

export type KeySource = 'environment' | 'keychain' | 'file';

/** The data key, encrypted with the master key, as the database stores it. */
export interface StoredKey {
  wrappedKey: string;
  /** Where the master key was when it was stored. */
  source: KeySource;
  /** Entry of the keychain; missing for keys that an earlier version stored in the entry of all data folders. */
  account?: string;
}

export interface FoundKey {
  key: Buffer;
  source: KeySource;
  /** Entry of the keychain, for a key that is kept there. */
  account?: string;
}

export interface MasterKeyOptions {
  /** `HOMEPORT_MASTER_KEY`: base64 of 32 bytes. */
  override?: string;
  keychain: Keychain;
  keyFile: string;
  /** What is opened, in words; default: this data folder. */
  subject?: string;
}

/** The data key of a data folder, and what its database must store about it from now on. */
export interface UnlockedKey {
  dataKey: Buffer;
  source: KeySource;
  /** Why the keychain was not used; undefined when it was used. */
  keychainProblem?: string;
  /** To be stored before the data key is used; missing when the stored key stays as it is. */
  toStore?: StoredKey;
}

/** The master key is missing, unusable, or does not open this data folder. The message is for the user. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
  /** The data folder has data that none of the keys found opens. */
  readonly isDataClosed: boolean;

  constructor(message: string, { isDataClosed = false, ...options }: ErrorOptions & { isDataClosed?: boolean } = {}) {
    super(message, options);
    this.isDataClosed = isDataClosed;
  }
}

/** The keychain entry that all data folders of a user shared in earlier versions. */
export const SHARED_ACCOUNT = 'master-key';
export const KEY_BYTES = 32;
const WRAP_CONTEXT = 'homeport:data-key:v1';
const DATA_FOLDER = 'this data folder';
const unlock = (subject: string): string =>
  `Unlock the keychain and try again, or start Homeport with HOMEPORT_MASTER_KEY set to the key of ${subject}. Nothing was changed.`;

/** Decodes base64 of 32 bytes. Throws MasterKeyError for anything else; `from` names the source in its message. */
export function decodeMasterKey(text: string, from: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    throw new MasterKeyError(`The master key ${from} is not base64 of ${KEY_BYTES} bytes.`);
  }
  return key;
}

export function wrapDataKey(master: FoundKey, dataKey: Buffer): StoredKey {
  return {
    wrappedKey: seal(createSecretKey(master.key), dataKey, WRAP_CONTEXT),
    source: master.source,
    ...(master.account === undefined ? {} : { account: master.account }),
  };
}

/**
 * Opens the data key of a data folder, or creates one when `stored` is undefined. Throws MasterKeyError when no key
 * opens it, or when a new key cannot be stored because the keychain is locked. Changes nothing except new entries of
 * the keychain or a new key file.
 */
export async function unlockDataKey(options: MasterKeyOptions, stored: StoredKey | undefined): Promise<UnlockedKey> {
  if (stored) return openStored(options, stored);
  const { master, keychainProblem } = await obtainMasterKey(options);
  const dataKey = randomBytes(KEY_BYTES);
  return {
    dataKey,
    source: master.source,
    toStore: wrapDataKey(master, dataKey),
    ...(keychainProblem === undefined ? {} : { keychainProblem }),
  };
}

/** The master key of a new data folder: the given key, the one in the key file, else a new one. */
async function obtainMasterKey(options: MasterKeyOptions): Promise<{ master: FoundKey; keychainProblem?: string }> {
  if (options.override !== undefined) return { master: givenKey(options.override) };
  const [fromFile] = await readKeysFromFile(options.keyFile);
  return fromFile ? { master: fromFile } : createMasterKey(options);
}

/**
 * Makes a new master key and stores it under a new entry of the keychain, or in the key file where there is no
 * keychain. An existing entry is never overwritten: it may be the only key of another data folder, or of a copy of this
 * one.
 */
export async function createMasterKey({
  keychain,
  keyFile,
}: MasterKeyOptions): Promise<{ master: FoundKey; keychainProblem?: string }> {
  const key = randomBytes(KEY_BYTES);
  try {
    return { master: { key, source: 'keychain', account: await keepInKeychain(keychain, key) } };
  } catch (error) {
    if (!(error instanceof KeychainUnavailableError)) throw error;
    // The keychain may be unlocked later, and a key in a file would then be a second one.
    if (error.isLocked) throw new MasterKeyError(`${error.message} ${unlock(DATA_FOLDER)}`, { cause: error });
    await writeKeyFile(keyFile, key.toString('base64'));
    return { master: { key, source: 'file' }, keychainProblem: error.message };
  }
}

/** Stores the key under a new entry and returns the entry's name. The write counts only after the key was read back. */
export async function keepInKeychain(keychain: Keychain, key: Buffer): Promise<string> {
  const account = `${SHARED_ACCOUNT}:${randomUUID()}`;
  const text = key.toString('base64');
  // Reads first, so that it does not write to a keychain that cannot be read.
  if ((await keychain.read(account)) !== undefined)
    throw new KeychainUnavailableError('The keychain of this computer answers for an entry that does not exist.');
  await keychain.write(account, text);
  if ((await keychain.read(account)) !== text)
    throw new KeychainUnavailableError('The keychain of this computer did not keep the key.', { isLocked: true });
  return account;
}

async function openStored(options: MasterKeyOptions, stored: StoredKey): Promise<UnlockedKey> {
  return withOwnEntry(options, await findMasterKey(options, stored));
}

/**
 * Finds the master key that opens `stored`, and opens the data key. Throws MasterKeyError like `unlockDataKey`; writes
 * nothing.
 */
export async function findMasterKey(options: MasterKeyOptions, stored: StoredKey): Promise<Opened> {
  const tried: string[] = [];
  const problems: string[] = [];
  let keychainProblem: string | undefined;
  for (const find of candidates(options, stored)) {
    try {
      for (const found of await find()) {
        const dataKey = unwrapDataKey(found.key, stored);
        if (dataKey) return { dataKey, found, stored, keychainProblem };
        tried.push(found.source);
      }
    } catch (error) {
      if (error instanceof KeychainUnavailableError) keychainProblem = error.message;
      else if (error instanceof MasterKeyError) problems.push(error.message);
      else throw error;
    }
  }
  throw new MasterKeyError(
    whyClosed({ stored, tried, problems, keychainProblem, subject: options.subject ?? DATA_FOLDER }),
    { isDataClosed: true },
  );
}

/** Where the key may be, in order of precedence. An override replaces all other sources. */
function candidates(
  { override, keychain, keyFile }: MasterKeyOptions,
  { account }: StoredKey,
): Array<() => Promise<FoundKey[]>> {
  if (override !== undefined) return [async () => [givenKey(override)]];
  const inKeychain = (name: string) => async (): Promise<FoundKey[]> => {
    const text = await keychain.read(name);
    if (text === undefined) return [];
    return [{ key: decodeMasterKey(text, 'in the keychain'), source: 'keychain', account: name }];
  };
  return [
    ...(account === undefined ? [] : [inKeychain(account)]),
    inKeychain(SHARED_ACCOUNT),
    () => readKeysFromFile(keyFile),
  ];
}

function givenKey(text: string): FoundKey {
  return { key: decodeMasterKey(text, 'in HOMEPORT_MASTER_KEY'), source: 'environment' };
}

async function readKeysFromFile(keyFile: string): Promise<FoundKey[]> {
  const texts = await readKeyFile(keyFile);
  return texts.map((text) => ({ key: decodeMasterKey(text, 'in the key file'), source: 'file' }));
}

/** The data key; undefined when this master key does not open it. */
export function unwrapDataKey(master: Buffer, { wrappedKey }: StoredKey): Buffer | undefined {
  try {
    return unseal(createSecretKey(master), wrappedKey, WRAP_CONTEXT);
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

export interface Opened {
  dataKey: Buffer;
  found: FoundKey;
  stored: StoredKey;
  keychainProblem: string | undefined;
}

/** Moves a key from the shared entry to an entry of its own; the shared entry is kept for other data folders. */
async function withOwnEntry(
  { keychain }: MasterKeyOptions,
  { dataKey, found, stored, keychainProblem }: Opened,
): Promise<UnlockedKey> {
  const unlocked: UnlockedKey = {
    dataKey,
    source: found.source,
    ...(keychainProblem === undefined ? {} : { keychainProblem }),
  };
  if (found.account !== SHARED_ACCOUNT) return unlocked;
  try {
    const account = await keepInKeychain(keychain, found.key);
    return { ...unlocked, toStore: { ...stored, source: 'keychain', account } };
  } catch (error) {
    // The shared entry opens this folder as before; the next start tries again.
    if (error instanceof KeychainUnavailableError) return unlocked;
    throw error;
  }
}

interface Closed {
  stored: StoredKey;
  tried: string[];
  problems: string[];
  keychainProblem: string | undefined;
  subject: string;
}

function whyClosed({ stored, tried, problems, keychainProblem, subject }: Closed): string {
  if (keychainProblem !== undefined && stored.source === 'keychain') return `${keychainProblem} ${unlock(subject)}`;
  if (tried.length > 0)
    return `The master key (${[...new Set(tried)].join(', ')}) does not open ${subject}. Nothing was changed.`;
  if (problems.length > 0) return `${problems.join(' ')} Nothing was changed.`;
  if (stored.source === 'environment')
    return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} was made with HOMEPORT_MASTER_KEY. Set it to the same key again. Nothing was changed.`;
  const missing =
    stored.source === 'keychain'
      ? 'the keychain of this computer is locked or no longer holds it, and there is no key file'
      : 'there is no key file, and the keychain holds none';
  return `The master key of ${subject} was not found: ${missing}. ${unlock(subject)}`;
}
