import { utf8Length } from '../plain-json.ts';
import {
  ArrayBufferIsView,
  ArrayPrototypePush,
  ArrayPrototypeSort,
  DatePrototypeGetTime,
  DatePrototypeToISOString,
  isInstance,
  JSONStringify,
  MapPrototypeForEach,
  NumberIsNaN,
  ObjectAssign,
  ObjectCreate,
  ObjectEntries,
  PrimordialArrayBuffer,
  PrimordialDate,
  PrimordialError,
  PrimordialMap,
  PrimordialSet,
  SetPrototypeForEach,
  toText,
} from '../primordials.ts';
import { MAX_JSON_BYTES } from '../shrink-json.ts';

/** Limits of functions.md 3.9. Depth is counted in levels. */
const DEEPEST = 10;
const MAX_NESTED = 20;
const DROPPED: Record<string, boolean | undefined> = ObjectAssign(ObjectCreate(null), {
  httpAgent: true,
  httpsAgent: true,
  trace: true,
  _sessionCache: true,
  stack: true,
});

type Plain = Record<string, unknown>;

/** JSON text of a log payload, limited in size and depth; undefined when nothing remains. */
export function payloadText(payload: unknown, messageBytes: number): string | undefined {
  const plain = limit(payload, 0, undefined);
  if (plain === undefined) return undefined;
  const meta: Plain = typeof plain === 'object' && plain !== null ? (plain as Plain) : { payload: plain };
  return shrink(meta, MAX_JSON_BYTES - messageBytes);
}

/** Removes the largest properties until the text fits. */
function shrink(meta: Plain, maxBytes: number): string {
  const text = JSONStringify(meta);
  let bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const kept = { ...meta };
  const bySize: Array<{ key: string; bytes: number }> = [];
  for (const key in meta) ArrayPrototypePush(bySize, { key, bytes: utf8Length(JSONStringify({ [key]: meta[key] })) });
  ArrayPrototypeSort(bySize, (a, b) => b.bytes - a.bytes);
  for (let index = 0; index < bySize.length && bytes > maxBytes; index++) {
    const property = bySize[index] as (typeof bySize)[number];
    delete kept[property.key];
    bytes -= property.bytes;
  }
  return JSONStringify(kept);
}

/** The objects that contain this value, the nearest first. */
type Parents = { value: object; next: Parents } | undefined;

function limit(value: unknown, depth: number, parents: Parents): unknown {
  if (typeof value === 'bigint') return toText(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBufferIsView(value) || isInstance(value, PrimordialArrayBuffer)) return '[Buffer]';
  if (isInstance(value, PrimordialDate))
    return NumberIsNaN(DatePrototypeGetTime(value)) ? null : DatePrototypeToISOString(value);
  for (let parent = parents; parent; parent = parent.next) if (parent.value === value) return '[Circular]';
  if (depth >= DEEPEST) return '[Object]';
  return limitMembers(value, depth, { value, next: parents });
}

function limitMembers(value: object, depth: number, parents: Parents): Plain {
  // Without a prototype, whose `toJSON` or setters author code may have added.
  const out = ObjectCreate(null) as Plain;
  let nested = 0;
  const members = membersOf(value);
  for (let index = 0; index < members.length; index++) {
    const { 0: key, 1: member } = members[index] as [string, unknown];
    if (DROPPED[key]) continue;
    if (typeof member === 'object' && member !== null && ++nested > MAX_NESTED) continue;
    out[key] = key === 'Authorization' ? '[Redacted]' : limit(member, depth + 1, parents);
  }
  return out;
}

function membersOf(value: object): Array<[string, unknown]> {
  if (isInstance(value, PrimordialError)) {
    const members: Array<[string, unknown]> = [
      ['name', value.name],
      ['message', value.message],
    ];
    const own = ObjectEntries(value);
    for (let index = 0; index < own.length; index++) ArrayPrototypePush(members, own[index]);
    return members;
  }
  const listed: Array<[string, unknown]> = [];
  const add = (key: unknown, member: unknown): void => void ArrayPrototypePush(listed, [toText(key), member]);
  if (isInstance(value, PrimordialMap)) MapPrototypeForEach(value, (member: unknown, key: unknown) => add(key, member));
  else if (isInstance(value, PrimordialSet))
    SetPrototypeForEach(value, (member: unknown) => add(listed.length, member));
  if (isInstance(value, PrimordialMap) || isInstance(value, PrimordialSet)) return listed;
  return ObjectEntries(value);
}
