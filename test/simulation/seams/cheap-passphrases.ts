import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;

/** A key from a passphrase, without the third of a second that it is meant to cost. */
export function makePassphrasesCheap(): void {
  Object.assign(crypto, {
    scrypt: (text: string, salt: Buffer, bytes: number, _cost: object, callback: () => void) =>
      scrypt(text, salt, bytes, { N: 16 }, callback),
  });
  syncBuiltinESMExports();
}
