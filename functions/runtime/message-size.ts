import {
  ArrayBufferIsView,
  ArrayIsArray,
  BigIntAsIntN,
  BigIntPrototypeToString,
  isInstance,
  MapPrototypeForEach,
  PrimordialArrayBuffer,
  PrimordialError,
  PrimordialMap,
  PrimordialRegExp,
  PrimordialSet,
  PrimordialString,
  SetPrototypeAdd,
  SetPrototypeForEach,
  SetPrototypeHas,
} from './primordials.ts';

/**
 * A value with more members or levels counts as larger than any limit: walking and copying it takes too long, and Node
 * cannot send more than about 3,000 levels.
 */
export const MAX_MEMBERS = 1_000_000;
export const MAX_LEVELS = 2_000;
const OBJECT_BYTES = 8;
const ERROR_MEMBERS = ['message', 'stack', 'cause'] as const;

export interface Measured {
  /**
   * Approximate size of the value as a message: a character counts one byte, bytes count as they are, each member adds a
   * few bytes. A message keeps shared references, so each object counts once. Counting stops above the limit.
   */
  bytes: number;
  /** No object occurs twice, so that the JSON text of the value is about as large as the value itself. */
  isTree: boolean;
}

/** Takes time in proportion to the limit at most, whatever the value is. Cycles are allowed. */
export function measureMessage(value: unknown, limitBytes: number): Measured {
  const seen = new PrimordialSet<object>();
  const measured: Measured = { bytes: 0, isTree: true };
  let members = 0;
  let level: object[] = [];
  const isOver = (): boolean => measured.bytes > limitBytes;
  const count = (member: unknown): void => {
    if (isOver()) return;
    if (++members > MAX_MEMBERS) measured.bytes = Number.POSITIVE_INFINITY;
    else if (typeof member !== 'object' || member === null) measured.bytes += primitiveBytes(member);
    else if (SetPrototypeHas(seen, member)) measured.isTree = false;
    else {
      SetPrototypeAdd(seen, member);
      measured.bytes += OBJECT_BYTES;
      level[level.length] = member;
    }
  };
  count(value);
  for (let depth = 0; level.length > 0 && !isOver(); depth++) {
    const containers = level;
    level = [];
    if (depth > MAX_LEVELS) measured.bytes = Number.POSITIVE_INFINITY;
    for (let index = 0; index < containers.length && !isOver(); index++) {
      const ownBytes = countMembers(containers[index] as object, count, isOver);
      measured.bytes += ownBytes;
    }
  }
  return measured;
}

/** Whether a value can become JSON of about its own size: no object occurs again in it, and none is too deep. */
export function isJsonTree(value: unknown): boolean {
  const { bytes, isTree } = measureMessage(value, Number.MAX_VALUE);
  return isTree && Number.isFinite(bytes);
}

/** The size of a message, for comparison with a limit; more than the limit when counting stopped there. */
export function messageSize(value: unknown, limitBytes: number): number {
  return measureMessage(value, limitBytes).bytes;
}

function primitiveBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  // Of a large number; its text has two characters for each byte.
  if (typeof value === 'bigint' && BigIntAsIntN(64, value) !== value)
    return BigIntPrototypeToString(value, 16).length / 2;
  return 8;
}

/** Counts the members of a container; returns the bytes that it has besides them. */
function countMembers(container: object, count: (member: unknown) => void, isOver: () => boolean): number {
  if (ArrayBufferIsView(container) || isInstance(container, PrimordialArrayBuffer)) return container.byteLength;
  // A text as an object has a member for each character.
  if (isInstance(container, PrimordialString)) return container.length;
  if (isInstance(container, PrimordialRegExp)) return container.source.length;
  if (isInstance(container, PrimordialMap)) {
    MapPrototypeForEach(container, (item: unknown, key: unknown) => {
      count(key);
      count(item);
    });
    return 0;
  }
  if (isInstance(container, PrimordialSet)) {
    SetPrototypeForEach(container, count);
    return 0;
  }
  if (isInstance(container, PrimordialError))
    for (let at = 0; at < ERROR_MEMBERS.length; at++) count(container[ERROR_MEMBERS[at] as 'cause']);
  const isList = ArrayIsArray(container);
  // The loop below makes a text of each index before it begins.
  if (isList && container.length > MAX_MEMBERS) return Number.POSITIVE_INFINITY;
  // Also finds the named members that a list may have.
  let bytes = 0;
  for (const key in container) {
    if (isOver()) break;
    if (!isList) bytes += key.length;
    count((container as Record<string, unknown>)[key]);
  }
  return bytes;
}
