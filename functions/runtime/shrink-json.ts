import { utf8Length } from './plain-json.ts';
import {
  ArrayPrototypeSort,
  JSONStringify,
  MathMin,
  ObjectAssign,
  ObjectEntries,
  StringPrototypeSlice,
  StringPrototypeToWellFormed,
} from './primordials.ts';

/** Largest log entry, and largest payload of an error, in bytes (functions.md 3.9, 6.4). */
export const MAX_JSON_BYTES = 99_000;
const CUT_MARK = '… [truncated]';

/** Returns the text, cut at `maxBytes` without splitting a character and with a mark at the cut. */
export function cutText(text: string, maxBytes = MAX_JSON_BYTES): string {
  if (text.length * 3 <= maxBytes) return text;
  if (text.length <= maxBytes && utf8Length(text) <= maxBytes) return text;
  const most = maxBytes - utf8Length(CUT_MARK);
  if (most < 0) return CUT_MARK;
  let low = 0;
  let high = MathMin(text.length, most);
  while (low < high) {
    const middle = low + ((high - low + 1) >> 1);
    if (utf8Length(StringPrototypeSlice(text, 0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return StringPrototypeToWellFormed(StringPrototypeSlice(text, 0, low)) + CUT_MARK;
}

/**
 * Returns the object reduced to `maxBytes` of JSON. The largest members are reduced first: a text is cut if that is
 * enough; other members are left out.
 */
export function shrinkObject(whole: Record<string, unknown>, maxBytes = MAX_JSON_BYTES): Record<string, unknown> {
  const source = withoutExcess(whole, maxBytes);
  let over = bytesOf(source) - maxBytes;
  if (over <= 0) return source;
  const entries = ObjectEntries(source);
  const members: Array<{ name: string; member: unknown; bytes: number }> = [];
  for (let index = 0; index < entries.length; index++) {
    const name = (entries[index] as [string, unknown])[0];
    members[index] = { name, member: source[name], bytes: bytesOf({ [name]: source[name] }) };
  }
  ArrayPrototypeSort(members, (a, b) => b.bytes - a.bytes);
  const kept = ObjectAssign({}, source) as Record<string, unknown>;
  for (let index = 0; index < members.length && over > 0; index++) {
    const { name, member, bytes } = members[index] as (typeof members)[number];
    delete kept[name];
    const cut = typeof member === 'string' ? cutText(member, bytes - over - bytesOf({ [name]: '' })) : undefined;
    const isEnough = cut !== undefined && bytesOf({ [name]: cut }) <= bytes - over;
    if (isEnough) kept[name] = cut;
    over -= isEnough ? over : bytes;
  }
  return kept;
}

/** Cuts texts that are too long by themselves, so that megabytes of text are not measured. */
function withoutExcess(whole: Record<string, unknown>, maxBytes: number): Record<string, unknown> {
  let source = whole;
  for (const name in whole) {
    const member = whole[name];
    if (typeof member !== 'string' || member.length <= maxBytes) continue;
    if (source === whole) source = ObjectAssign({}, whole) as Record<string, unknown>;
    source[name] = cutText(member, maxBytes);
  }
  return source;
}

function bytesOf(value: unknown): number {
  return utf8Length(JSONStringify(value));
}
