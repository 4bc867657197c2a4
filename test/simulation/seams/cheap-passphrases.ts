import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scryptSync } = crypto;

/**
 * A key from a passphrase, without the third of a second that it is meant to cost. Made at once: the machine does not
 * see work in Node's thread pool, and time would go on until a thread is free.
 */
export function makePassphrasesCheap(): void {
  Object.assign(crypto, {
    scrypt: (
      text: string,
      salt: Buffer,
      bytes: number,
      _cost: object,
      callback: (error: null, key: Buffer) => void,
    ): void => {
      const key = scryptSync(text, salt, bytes, { N: 16 });
      setImmediate(() => callback(null, key));
    },
  });
  syncBuiltinESMExports();
}
