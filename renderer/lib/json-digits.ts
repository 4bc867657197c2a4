/**
 * JSON that is shown and copied as it came (design.md 7.49): large whole numbers, `1.0` and `1e400` keep their digits. A
 * number that JavaScript would change becomes an object that `JSON.stringify` writes as it came.
 */
interface KeptNumber {
  readonly rawJSON: string;
}

interface NumberKeeper {
  /** Absent in browsers that are older than the supported ones. */
  rawJSON?: (text: string) => KeptNumber;
}

const keeper = JSON as NumberKeeper;

type KeepingReviver = (name: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: KeepingReviver = (_name, value, context) => {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source && keeper.rawJSON
    ? keeper.rawJSON(source)
    : value;
};

/** The value with all digits. Throws a SyntaxError like `JSON.parse`. */
export function readWithDigits(text: string): unknown {
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

/** Whether the text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** JSON with an indentation of two spaces, with the digits, the order and the repeated names of the text; other text unchanged. */
export function printJson(text: string): string {
  return isJson(text) ? layOut(text) : text;
}

/** Writes a valid JSON text again, with line breaks and an indentation. */
function layOut(text: string): string {
  const parts: string[] = [];
  let level = 0;
  let isInEmpty = false;
  const newLine = (): number => parts.push(`\n${'  '.repeat(level)}`);
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end).trim();
    at = end;
    if (token === '') continue;
    const closes = token === ']' || token === '}';
    if (closes) level -= 1;
    // An empty list or object stays on one line.
    if (isInEmpty !== closes) newLine();
    isInEmpty = token === '[' || token === '{';
    if (isInEmpty) level += 1;
    parts.push(token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token);
    if (token === ',') newLine();
    if (token === ':') parts.push(' ');
  }
  return parts.join('');
}

/** A text, a sign, spaces, or everything up to the next of them. */
function endOfToken(text: string, start: number): number {
  const first = text[start] ?? '';
  let end = start + 1;
  if (first === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if ('[]{}:,'.includes(first)) return end;
  while (end < text.length && !'[]{}:,"'.includes(text[end] ?? '')) end += 1;
  return end;
}

/**
 * The digits of `kept` in a changed copy of `before`, which is the same value in plain numbers: members that did not
 * change stay as they were.
 */
export function keepUnchanged(kept: unknown, before: unknown, after: unknown): unknown {
  if (Object.is(before, after)) return kept;
  if (typeof after !== 'object' || after === null || typeof before !== 'object' || before === null) return after;
  if (typeof kept !== 'object' || kept === null) return after;
  const [from, plain] = [kept as Record<string, unknown>, before as Record<string, unknown>];
  if (Array.isArray(after)) return after.map((item, at) => keepUnchanged(from[at], plain[at], item));
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, keepUnchanged(from[name], plain[name], value)]),
  );
}
