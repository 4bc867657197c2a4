import { Buffer, bufferBytes } from '../globals/buffer-global.ts';
import type { CallSync } from '../guest-link.ts';

/** The members of `node:crypto` that functions use. The worker's Node does the computation. */
export function createCryptoModule(callSync: CallSync): Record<string, unknown> {
  return {
    createHash: (algorithm: string) => new Digest((data) => callSync('hash', String(algorithm), data)),
    createHmac: (algorithm: string, key: unknown) => {
      const secret = bytesOf(key);
      return new Digest((data) => callSync('hmac', String(algorithm), secret, data));
    },
    randomUUID: () => callSync('randomUUID'),
    randomBytes: (size: number) => asBuffer(callSync('randomBytes', size)),
    timingSafeEqual,
  };
}

class Digest {
  readonly #finish: (data: Uint8Array) => Uint8Array;
  #chunks: Uint8Array[] | undefined = [];

  constructor(finish: (data: Uint8Array) => Uint8Array) {
    this.#finish = finish;
  }

  update(data: unknown, encoding?: string): this {
    if (!this.#chunks) throw alreadyCalled();
    this.#chunks.push(bytesOf(data, encoding));
    return this;
  }

  digest(encoding?: string): unknown {
    if (!this.#chunks) throw alreadyCalled();
    const digest = asBuffer(this.#finish(new Uint8Array(Buffer.concat(this.#chunks))));
    this.#chunks = undefined;
    return encoding && encoding !== 'buffer' ? digest.toString(encoding) : digest;
  }
}

function alreadyCalled(): Error {
  return Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
}

function timingSafeEqual(left: unknown, right: unknown): boolean {
  const [a, b] = [bufferBytes(left), bufferBytes(right)];
  if (!a || !b) throw new TypeError('timingSafeEqual: both arguments must be bytes');
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= (a[index] as number) ^ (b[index] as number);
  return difference === 0;
}

function bytesOf(data: unknown, encoding?: string): Uint8Array {
  if (typeof data === 'string') return new Uint8Array(Buffer.from(data, encoding));
  const bytes = bufferBytes(data);
  if (!bytes) throw new TypeError('The data must be a string, a Buffer or a typed array');
  return bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
}
