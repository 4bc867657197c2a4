import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The value was sealed with another key or for another context, or it was changed. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';
}

/**
 * AES-256-GCM. The result is base64 of iv (12 bytes), tag (16) and cipher text; `context` names the row and field the
 * value belongs to and is authenticated with it, so that a sealed value cannot be moved elsewhere. Keys are key
 * objects: with bytes, Node builds one for each call, which costs several times the cipher.
 */
export function seal(key: KeyObject, plain: string | Buffer, context: string): string {
  return sealBytes(key, plain, context).toString('base64');
}

/** As `seal`, without base64: for values that are stored as bytes. */
export function sealBytes(key: KeyObject, plain: string | Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  const last = cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), body, last]);
}

export function unseal(key: KeyObject, sealed: string, context: string): Buffer {
  return unsealBytes(key, Buffer.from(sealed, 'base64'), context);
}

export function unsealBytes(key: KeyObject, bytes: Buffer, context: string): Buffer {
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new UnsealError('The sealed value is too short.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([body, decipher.final()]);
  } catch (error) {
    throw new UnsealError('The sealed value does not open with this key for this context.', { cause: error });
  }
}
