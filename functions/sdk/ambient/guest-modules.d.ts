/**
 * Modules that functions may import besides relative files, the SDK and zod, with the members that exist in an isolate.
 */

declare module 'node:crypto' {
  type BinaryLike = string | ArrayBufferView | ArrayBufferLike;
  type HexOrBase64 = 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary';

  interface Hash {
    update(data: BinaryLike, encoding?: BufferEncoding): this;
    digest(): Buffer;
    digest(encoding: HexOrBase64): string;
  }
  type Hmac = Hash;

  /** `sha256`, `sha1`, `md5`, …: every algorithm of the bundled Node. */
  export function createHash(algorithm: string): Hash;
  export function createHmac(algorithm: string, key: BinaryLike): Hmac;
  export function randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  /** At most 1 MB. */
  export function randomBytes(size: number): Buffer;
  export function timingSafeEqual(left: ArrayBufferView, right: ArrayBufferView): boolean;
  export type { BinaryLike, Hash, Hmac };

  const crypto: {
    createHash: typeof createHash;
    createHmac: typeof createHmac;
    randomUUID: typeof randomUUID;
    randomBytes: typeof randomBytes;
    timingSafeEqual: typeof timingSafeEqual;
  };
  export default crypto;
}

declare module 'crypto' {
  export * from 'node:crypto';
  export { default } from 'node:crypto';
}

declare module 'node:url' {
  export class URL extends globalThis.URL {}
  export class URLSearchParams extends globalThis.URLSearchParams {}

  const url: { URL: typeof URL; URLSearchParams: typeof URLSearchParams };
  export default url;
}

declare module 'url' {
  export * from 'node:url';
  export { default } from 'node:url';
}
