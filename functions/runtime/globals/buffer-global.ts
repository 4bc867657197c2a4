import { Buffer } from 'buffer/index.js';

/**
 * The `buffer` package supports every encoding of Node except `base64url`; this adds it. Decoding needs no extra code,
 * because the package's base64 decoder accepts both alphabets.
 */
const { from, isEncoding, byteLength } = Buffer;
const { toString, write } = Buffer.prototype;

const known = (encoding: unknown): unknown => (isBase64Url(encoding) ? 'base64' : encoding);
const isBase64Url = (encoding: unknown): boolean =>
  typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';

function withoutPadding(text: string): string {
  return text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '');
}

type Loose = (...args: unknown[]) => unknown;
const replace = (target: object, name: string, value: Loose): void => {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
};

replace(Buffer, 'from', (value, ...rest) => (from as Loose)(value, ...rest.map(known)));
replace(Buffer, 'isEncoding', (encoding) => isBase64Url(encoding) || isEncoding(encoding as string));
replace(Buffer, 'byteLength', (value, encoding) => (byteLength as Loose)(value, known(encoding)));
replace(Buffer.prototype, 'write', function (this: Buffer, ...args: unknown[]) {
  return (write as Loose).apply(this, args.map(known));
});
replace(Buffer.prototype, 'toString', function (this: Buffer, encoding, start, end) {
  const text = (toString as Loose).call(this, known(encoding), start, end) as string;
  return isBase64Url(encoding) ? withoutPadding(text) : text;
});

export { Buffer };

/**
 * Returns the plain bytes of any binary value, or undefined. The copy has its own memory, so a view does not keep its
 * whole buffer alive.
 */
export function bufferBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength));
}
