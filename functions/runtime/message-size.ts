import {
  ArrayBufferIsView,
  ArrayIsArray,
  MapPrototypeForEach,
  PrimordialSet,
  SetPrototypeAdd,
  SetPrototypeForEach,
  SetPrototypeHas,
} from './primordials.ts';

/**
 * Approximate size of a message, for comparison with a limit: a character counts one byte, bytes count as they are, and
 * each member adds a few bytes.
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

/**
 * Whether a value is larger than `limitBytes` as a structured clone: each object counts once, and cycles are allowed.
 */
export function isLargerThan(value: unknown, limitBytes: number): boolean {
  const seen = new PrimordialSet<unknown>();
  const found: unknown[] = [value];
  const add = (member: unknown): void => {
    found[found.length] = member;
  };
  let size = 0;
  for (let index = 0; index < found.length && size <= limitBytes; index++) {
    const next = found[index];
    if (typeof next !== 'object' || next === null || ArrayBufferIsView(next) || next instanceof ArrayBuffer)
      size += messageSize(next);
    else if (!SetPrototypeHas(seen, next)) {
      SetPrototypeAdd(seen, next);
      size += 8;
      addMembers(next, add);
    }
  }
  return size > limitBytes;
}

function addMembers(container: object, add: (member: unknown) => void): void {
  if (container instanceof Map)
    MapPrototypeForEach(container, (item: unknown, key: unknown) => {
      add(key);
      add(item);
    });
  else if (container instanceof Set) SetPrototypeForEach(container, add);
  else if (ArrayIsArray(container)) for (let index = 0; index < container.length; index++) add(container[index]);
  else
    for (const key in container) {
      add(key);
      add((container as Record<string, unknown>)[key]);
    }
}
