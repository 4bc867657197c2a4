/** Globals that Node has and an isolate has not. In the authors' own process Node's versions replace ours. */
const { Buffer, URLSearchParams } = globalThis;

export { Buffer, URLSearchParams };

/** Returns the plain bytes of any binary value, or undefined. */
export function bufferBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
