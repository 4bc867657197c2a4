import { randomBytes } from 'node:crypto';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { type Keychain, KeychainUnavailableError } from './keychain.ts';

export type KeySource = 'environment' | 'keychain' | 'file';

export interface FoundKey {
  key: Buffer;
  source: KeySource;
}

export interface MasterKeyOptions {
  /** `HOMEPORT_MASTER_KEY`: base64 of 32 bytes. */
  override?: string;
  keychain: Keychain;
  keyFile: string;
}

/** No usable master key, or one that does not open this data folder. The message is for the user. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

const ACCOUNT = 'master-key';
const KEY_BYTES = 32;

function decode(text: string, from: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    throw new MasterKeyError(`The master key ${from} is not base64 of ${KEY_BYTES} bytes.`);
  }
  return key;
}

/** Every key that is at hand, in the order of precedence. An override hides all others. */
export async function findMasterKeys(options: MasterKeyOptions): Promise<{ keys: FoundKey[]; unavailable?: string }> {
  if (options.override !== undefined) {
    return { keys: [{ key: decode(options.override, 'in HOMEPORT_MASTER_KEY'), source: 'environment' }] };
  }
  const keys: FoundKey[] = [];
  let unavailable: string | undefined;
  try {
    const stored = await options.keychain.read(ACCOUNT);
    if (stored !== undefined) keys.push({ key: decode(stored, 'in the keychain'), source: 'keychain' });
  } catch (error) {
    if (!(error instanceof KeychainUnavailableError)) throw error;
    unavailable = error.message;
  }
  const filed = await readKeyFile(options.keyFile);
  if (filed !== undefined) keys.push({ key: decode(filed, 'in the key file'), source: 'file' });
  return unavailable === undefined ? { keys } : { keys, unavailable };
}

/** Makes a new master key and keeps it in the keychain, or in the key file where there is no keychain. */
export async function createMasterKey(options: MasterKeyOptions): Promise<FoundKey> {
  const key = randomBytes(KEY_BYTES);
  try {
    await options.keychain.write(ACCOUNT, key.toString('base64'));
    return { key, source: 'keychain' };
  } catch (error) {
    if (!(error instanceof KeychainUnavailableError)) throw error;
    await writeKeyFile(options.keyFile, key.toString('base64'));
    return { key, source: 'file' };
  }
}
