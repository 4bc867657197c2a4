/**
 * Levels of arrays and objects in a JSON value; recursion over it (JSON.stringify, zod) stays far from the stack limit.
 */
export const MAX_JSON_DEPTH = 200;
/** Member names in a JSON body: parsing and checking this many takes about 0.2 s of the event loop. */
export const MAX_KEYS = 100_000;
/** Arrays and objects in a JSON body: an empty one takes 22 bytes of heap per byte of text. */
export const MAX_CONTAINERS = 1_000_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The limit that a JSON text exceeds, found without parsing it; undefined when it exceeds none. The text may be invalid
 * JSON; the parser reports that.
 */
export function findJsonExcess(text: string): 'levels' | 'keys' | 'containers' | undefined {
  if (text.length <= MAX_JSON_DEPTH) return undefined;
  let levels = 0;
  let keys = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
    } else if (code === COLON) {
      keys += 1;
      if (keys > MAX_KEYS) return 'keys';
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      levels += 1;
      containers += 1;
      if (levels > MAX_JSON_DEPTH) return 'levels';
      if (containers > MAX_CONTAINERS) return 'containers';
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      levels -= 1;
    }
  }
  return undefined;
}

/** Position of the quote that ends the string which begins at `start`, or of the last character. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes stands before the quote. */
function isEscaped(text: string, start: number, quote: number): boolean {
  let first = quote;
  while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/**
 * Whether a value has more than `MAX_JSON_DEPTH` levels; for values that did not arrive as JSON text, such as those of
 * functions.
 */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
