import { createRequire } from 'node:module';

/** The only access to the OS keychain. `undefined` from `read` means that nothing is stored. */
export interface Keychain {
  read(account: string): Promise<string | undefined>;
  write(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** The keychain cannot be used. The message says why, for the warning that the user sees. */
export class KeychainUnavailableError extends Error {
  override readonly name = 'KeychainUnavailableError';
  /** A keychain exists, but it is locked at present or answers too late. */
  readonly isLocked: boolean;

  constructor(message: string, { isLocked = false, ...options }: ErrorOptions & { isLocked?: boolean } = {}) {
    super(message, options);
    this.isLocked = isLocked;
  }
}

const SERVICE = 'homeport';
/**
 * Long enough for a person to answer the keychain's password prompt. A keychain that hangs must not block the start.
 */
export const KEYCHAIN_LIMIT_MS = 30_000;
/** Error texts of Secret Service, macOS and Windows for a keychain that is locked, or whose prompt was not answered. */
const LOCKED = /locked|dismissed|cancel|denied|interaction is not allowed|passphrase you entered/i;

interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** The OS keychain through keytar: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux. */
export function openOsKeychain(): Keychain {
  let keytar: Keytar;
  const load = (): Keytar => {
    if (keytar) return keytar;
    try {
      keytar = createRequire(import.meta.url)('keytar') as Keytar;
      return keytar;
    } catch (error) {
      throw new KeychainUnavailableError('The keychain module is not built on this computer.', { cause: error });
    }
  };
  return {
    read: async (account) => (await callKeychain(() => load().getPassword(SERVICE, account))) ?? undefined,
    write: (account, value) => callKeychain(() => load().setPassword(SERVICE, account, value)),
    remove: async (account) => {
      await callKeychain(() => load().deletePassword(SERVICE, account));
    },
  };
}

/** A prompt of the keychain may still be open, so a keychain that answers too late counts as locked. */
function timedOut(): KeychainUnavailableError {
  const seconds = KEYCHAIN_LIMIT_MS / 1000;
  return new KeychainUnavailableError(`The keychain of this computer gave no answer within ${seconds} seconds.`, {
    isLocked: true,
  });
}

/** Calls the keychain with a time limit. Throws KeychainUnavailableError for every failure. */
async function callKeychain<T>(call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      call(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(timedOut()), KEYCHAIN_LIMIT_MS);
      }),
    ]);
  } catch (error) {
    if (error instanceof KeychainUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const isLocked = LOCKED.test(reason);
    const what = isLocked ? 'is locked' : 'does not answer';
    throw new KeychainUnavailableError(`The keychain of this computer ${what} (${reason}).`, {
      cause: error,
      isLocked,
    });
  } finally {
    clearTimeout(timer);
  }
}
