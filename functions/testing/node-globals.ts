/** What Node has and an isolate has not: in the authors' own process the real ones take the place of ours. */
const { Buffer, URLSearchParams } = globalThis;

export { Buffer, URLSearchParams };

/** Plain bytes of anything binary, or undefined. */
export function bufferBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
