import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import { TransferFailure } from './hub-calls.ts';

/**
 * Secrets of an export file, encrypted with a passphrase: scrypt derives the key, AES-256-GCM encrypts. Bytes are
 * base64.
 */
export const sealedSecrets = z.strictObject({
  kdf: z.literal('scrypt'),
  cipher: z.literal('aes-256-gcm'),
  // Limited, so that a malicious file cannot use the processor for an hour.
  n: z.number().int().min(16_384).max(1_048_576),
  r: z.number().int().min(8).max(16),
  p: z.number().int().min(1).max(4),
  salt: z.base64(),
  iv: z.base64(),
  tag: z.base64(),
  data: z.base64(),
});

export type SealedSecrets = z.infer<typeof sealedSecrets>;

const MIN_PASSPHRASE_LENGTH = 8;
/** OWASP's recommendation for scrypt: each guess takes about 128 MB and a third of a second. */
const COST = { n: 131_072, r: 8, p: 1 };
const KEY_BYTES = 32;
const CONTEXT = Buffer.from('homeport-export:1');

/** Throws TransferFailure for a passphrase that is too short. */
export async function sealSecrets(secrets: unknown, passphrase: string): Promise<SealedSecrets> {
  if (passphrase.length < MIN_PASSPHRASE_LENGTH)
    throw new TransferFailure(`The passphrase is too short: it needs at least ${MIN_PASSPHRASE_LENGTH} characters.`, {
      code: 'invalid_body',
    });
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(passphrase, salt, COST), iv).setAAD(CONTEXT);
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()]);
  const bytes = { salt, iv, tag: cipher.getAuthTag(), data };
  const texts = Object.fromEntries(Object.entries(bytes).map(([name, value]) => [name, value.toString('base64')]));
  return sealedSecrets.parse({ kdf: 'scrypt', cipher: 'aes-256-gcm', ...COST, ...texts });
}

/** Resolves to the value that was sealed. Throws TransferFailure for a wrong passphrase or a changed file. */
export async function openSecrets(sealed: SealedSecrets, passphrase: string): Promise<unknown> {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  const key = await deriveKey(passphrase, bytes(sealed.salt), sealed);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(sealed.iv)).setAAD(CONTEXT);
    decipher.setAuthTag(bytes(sealed.tag));
    return JSON.parse(Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()]).toString());
  } catch (error) {
    // The cipher cannot distinguish a wrong passphrase from a changed file.
    throw new TransferFailure('The passphrase does not open this file, or the file was changed.', {
      code: 'wrong_passphrase',
      cause: error,
    });
  }
}

function deriveKey(
  passphrase: string,
  salt: Buffer,
  { n, r, p }: { n: number; r: number; p: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // `maxmem` must be slightly larger than 128 × n × r.
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
