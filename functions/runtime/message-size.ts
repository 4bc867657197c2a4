import { ArrayBufferIsView, ArrayIsArray } from './primordials.ts';

/**
 * Size of a message, near enough to hold it against a limit: a character counts one byte, bytes count as they are,
 * and structure counts a few bytes a member.
 */
export function messageSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length;
    case 'object':
      return value === null ? 4 : objectSize(value);
    default:
      return 8;
  }
}

function objectSize(value: object): number {
  if (ArrayBufferIsView(value)) return value.byteLength;
  if (value instanceof ArrayBuffer) return value.byteLength;
  let size = 8;
  if (ArrayIsArray(value)) {
    for (let index = 0; index < value.length; index++) size += messageSize(value[index]);
    return size;
  }
  for (const key in value) size += key.length + messageSize((value as Record<string, unknown>)[key]);
  return size;
}
