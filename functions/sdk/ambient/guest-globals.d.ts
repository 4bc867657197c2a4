/**
 * Globals of an isolate, in addition to the language and the web's types. Used only by the type check. Other globals of
 * Node do not exist there.
 */

type BufferEncoding =
  | 'ascii'
  | 'utf8'
  | 'utf-8'
  | 'utf16le'
  | 'utf-16le'
  | 'ucs2'
  | 'ucs-2'
  | 'base64'
  | 'base64url'
  | 'latin1'
  | 'binary'
  | 'hex';

/** Bytes as in Node. A function gets a Buffer for `responseType: 'arraybuffer'` and from digests. */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBuffer> extends Uint8Array<TArrayBuffer> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  write(text: string, encoding?: BufferEncoding): number;
  write(text: string, offset: number, encoding?: BufferEncoding): number;
  write(text: string, offset: number, length: number, encoding?: BufferEncoding): number;
  equals(other: Uint8Array): boolean;
  compare(
    target: Uint8Array,
    targetStart?: number,
    targetEnd?: number,
    sourceStart?: number,
    sourceEnd?: number,
  ): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  slice(start?: number, end?: number): Buffer<ArrayBuffer>;
  subarray(start?: number, end?: number): Buffer<TArrayBuffer>;
  fill(value: string | Uint8Array | number, offset?: number, end?: number, encoding?: BufferEncoding): this;
  indexOf(value: string | number | Uint8Array, byteOffset?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, byteOffset?: number, encoding?: BufferEncoding): number;
  includes(value: string | number | Uint8Array, byteOffset?: number, encoding?: BufferEncoding): boolean;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  readUInt8(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readInt8(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt16BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readFloatLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readDoubleBE(offset?: number): number;
  readBigInt64LE(offset?: number): bigint;
  readBigInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  writeUInt8(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
}

interface BufferConstructor {
  from(text: string, encoding?: BufferEncoding): Buffer<ArrayBuffer>;
  from(bytes: ArrayBufferLike, byteOffset?: number, length?: number): Buffer<ArrayBuffer>;
  from(bytes: ArrayLike<number> | { valueOf(): string } | { type: 'Buffer'; data: number[] }): Buffer<ArrayBuffer>;
  alloc(size: number, fill?: string | Uint8Array | number, encoding?: BufferEncoding): Buffer<ArrayBuffer>;
  allocUnsafe(size: number): Buffer<ArrayBuffer>;
  concat(list: readonly Uint8Array[], totalLength?: number): Buffer<ArrayBuffer>;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(encoding: string): encoding is BufferEncoding;
  byteLength(value: string | ArrayBufferView | ArrayBufferLike, encoding?: BufferEncoding): number;
  readonly prototype: Buffer;
}

declare var Buffer: BufferConstructor;

/** Older name of the global object. At run time only `globalThis` exists. */
declare var global: typeof globalThis;
