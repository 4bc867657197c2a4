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
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof ArrayBuffer) return value.byteLength;
  let size = 8;
  if (Array.isArray(value)) {
    for (const item of value) size += messageSize(item);
    return size;
  }
  for (const key in value) size += key.length + messageSize((value as Record<string, unknown>)[key]);
  return size;
}
