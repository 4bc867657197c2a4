import { JSONParse, JSONStringify, toText } from './primordials.ts';

/** Detached JSON data; what JSON cannot express is dropped, what cannot be serialised at all becomes its text. */
export function toPlainJson(value: unknown): unknown {
  const text = tryStringify(value);
  return text === undefined ? undefined : JSONParse(text);
}

/** JSON text of any value; `null` for what JSON does not know. */
export function jsonText(value: unknown): string {
  return tryStringify(value) ?? 'null';
}

function tryStringify(value: unknown): string | undefined {
  try {
    return JSONStringify(value);
  } catch {
    // Circular, or a BigInt: its text says more than nothing.
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
    // A surrogate pair is 4 bytes in 2 units: the high one adds 2, the low one nothing.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
