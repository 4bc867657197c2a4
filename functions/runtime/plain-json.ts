import { JSONParse, JSONStringify, toText } from './primordials.ts';

/**
 * Returns detached JSON data. Values that JSON does not support are dropped; a BigInt becomes text and a cycle a mark,
 * so that the rest of an error or a log line is kept.
 */
export function toPlainJson(value: unknown): unknown {
  const text = tryStringify(value);
  return text === undefined ? undefined : JSONParse(text);
}

/** JSON text of any value; `null` for values that JSON does not support. */
export function jsonText(value: unknown): string {
  return tryStringify(value) ?? 'null';
}

function tryStringify(value: unknown): string | undefined {
  try {
    return JSONStringify(value);
  } catch {
    // There is a BigInt or a cycle inside.
    return stringifyTolerantly(value);
  }
}

function stringifyTolerantly(value: unknown): string {
  /** The objects that contain the member, the outermost first. */
  const parents: unknown[] = [];
  function replace(this: unknown, _key: string, member: unknown): unknown {
    if (typeof member === 'bigint') return toText(member);
    if (typeof member !== 'object' || member === null) return member;
    while (parents.length > 0 && parents[parents.length - 1] !== this) parents.length -= 1;
    for (let index = 0; index < parents.length; index++) if (parents[index] === member) return '[Circular]';
    parents[parents.length] = member;
    return member;
  }
  try {
    return JSONStringify(value, replace);
  } catch {
    // A getter or a toJSON throws, so the text of the value is used instead.
    return JSONStringify(toText(value));
  }
}

/** Length of `text` in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7ff) bytes += 2;
    else if (unit > 0x7f) bytes += 1;
    // A surrogate pair has 4 bytes in 2 code units: the high surrogate adds 2, the low one adds none.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
