import { utf8Length } from '../plain-json.ts';

/** Limits of functions.md 3.9. */
export const MOST_LOG_BYTES = 99_000;
const DEEPEST = 10;
const MOST_NESTED = 20;
const DROPPED = new Set(['httpAgent', 'httpsAgent', 'trace', '_sessionCache', 'stack']);

type Plain = Record<string, unknown>;

/** JSON text of a log payload, made small and safe; undefined when there is nothing to keep. */
export function payloadText(payload: unknown, messageBytes: number): string | undefined {
  const plain = limit(payload, 0, []);
  if (plain === undefined) return undefined;
  const meta: Plain = typeof plain === 'object' && plain !== null ? (plain as Plain) : { payload: plain };
  return shrink(meta, MOST_LOG_BYTES - messageBytes);
}

/** Removes the largest properties until the text fits. */
function shrink(meta: Plain, mostBytes: number): string {
  const text = JSON.stringify(meta);
  let bytes = utf8Length(text);
  if (bytes <= mostBytes) return text;
  const kept = { ...meta };
  const bySize = Object.entries(meta)
    .map(([key, value]) => ({ key, bytes: utf8Length(JSON.stringify({ [key]: value })) }))
    .sort((a, b) => b.bytes - a.bytes);
  for (const property of bySize) {
    if (bytes <= mostBytes) break;
    delete kept[property.key];
    bytes -= property.bytes;
  }
  return JSON.stringify(kept);
}

function limit(value: unknown, depth: number, parents: object[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return '[Buffer]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (parents.includes(value)) return '[Circular]';
  if (depth >= DEEPEST) return '[Object]';
  return limitMembers(value, depth, [...parents, value]);
}

function limitMembers(value: object, depth: number, parents: object[]): Plain {
  const out: Plain = {};
  let nested = 0;
  for (const [key, member] of membersOf(value)) {
    if (DROPPED.has(key)) continue;
    if (typeof member === 'object' && member !== null && ++nested > MOST_NESTED) continue;
    out[key] = key === 'Authorization' ? '[Redacted]' : limit(member, depth + 1, parents);
  }
  return out;
}

function membersOf(value: object): Array<[string, unknown]> {
  if (value instanceof Error) return [['name', value.name], ['message', value.message], ...Object.entries(value)];
  if (value instanceof Map) return [...value].map(([key, member]) => [String(key), member]);
  if (value instanceof Set) return Object.entries([...value]);
  return Object.entries(value);
}
