/** A piece of a template: literal text or one `${…}` expression (providers.md 4). */
export type TemplatePart = string | Expression;

export type Expression =
  | { kind: 'path'; source: string; path: string }
  | { kind: 'now'; source: string; shiftMs: number; months: number; format: string | undefined }
  | { kind: 'call'; source: string; name: string; arguments: TemplatePart[][] };

/** A parsed template. Two alternatives when the whole string is `A || B`. */
export interface Template {
  source: string;
  alternatives: TemplatePart[][];
}

/** Functions of two arguments are split at the last comma: their message may contain commas. */
const ARGUMENT_COUNT: Record<string, 1 | 2 | 'list'> = {
  base64: 1,
  sha256Hex: 1,
  sha256Base64: 1,
  fingerprint: 1,
  hmacSha1Hex: 2,
  ed25519Sign: 2,
  awsSigV4: 'list',
};

export const FUNCTION_NAMES: readonly string[] = Object.keys(ARGUMENT_COUNT);

const UNIT_MS: Record<string, number> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const UNIT_MONTHS: Record<string, number> = { month: 1, year: 12 };

export function parseTemplate(source: string): Template {
  const bar = findOutsideBraces(source, '||', 'first');
  if (bar === -1) return { source, alternatives: [parseParts(source)] };
  return { source, alternatives: [parseParts(source.slice(0, bar).trim()), parseParts(source.slice(bar + 2).trim())] };
}

/** Every path that a template reads, including nested ones. */
export function pathsOf(template: Template): string[] {
  const visit = (parts: TemplatePart[]): string[] =>
    parts.flatMap((part) => {
      if (typeof part === 'string' || part.kind === 'now') return [];
      return part.kind === 'path' ? [part.path] : part.arguments.flatMap(visit);
    });
  return template.alternatives.flatMap(visit);
}

/** Parses a text in which `||` is not an operator. */
export function parseParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('${', from);
    const close = open === -1 ? -1 : findClosingBrace(text, open + 2);
    if (close === -1) break;
    if (open > from) parts.push(text.slice(from, open));
    parts.push(parseExpression(text.slice(open + 2, close), text.slice(open, close + 1)));
    from = close + 1;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function parseExpression(inner: string, source: string): Expression {
  const call = /^([a-zA-Z0-9]+)\(([\s\S]*)\)$/.exec(inner.trim());
  const count = call?.[1] === undefined ? undefined : ARGUMENT_COUNT[call[1]];
  if (call && count !== undefined) {
    return { kind: 'call', source, name: call[1] ?? '', arguments: splitArguments(call[2] ?? '', count) };
  }
  return parseNow(inner, source) ?? { kind: 'path', source, path: inner.trim() };
}

function splitArguments(text: string, count: 1 | 2 | 'list'): TemplatePart[][] {
  if (count === 1) return [parseParts(text)];
  if (count === 'list') return splitList(text).map((argument) => parseParts(argument.trim()));
  const comma = findOutsideBraces(text, ',', 'last');
  if (comma === -1) return [parseParts(text)];
  return [parseParts(text.slice(0, comma)), parseParts(text.slice(comma + 1).trim())];
}

function splitList(text: string): string[] {
  const comma = findOutsideBraces(text, ',', 'first');
  return comma === -1 ? [text] : [text.slice(0, comma), ...splitList(text.slice(comma + 1))];
}

/** Parses `now`, `now:FORMAT`, `now+N:unit[:FORMAT]` and `now-N:unit[:FORMAT]`. */
function parseNow(inner: string, source: string): Expression | undefined {
  const match = /^now(?:([+-]\d+):([a-z]+))?(?::([\s\S]+))?$/.exec(inner.trim());
  if (!match) return undefined;
  const [, amount, unitName, format] = match;
  const unit = unitName?.replace(/s$/, '') ?? '';
  if (amount !== undefined && !(unit in UNIT_MS) && !(unit in UNIT_MONTHS)) return undefined;
  const shift = Number(amount ?? 0);
  return {
    kind: 'now',
    source,
    shiftMs: shift * (UNIT_MS[unit] ?? 0),
    months: shift * (UNIT_MONTHS[unit] ?? 0),
    format,
  };
}

function findClosingBrace(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  return -1;
}

function findOutsideBraces(text: string, needle: string, which: 'first' | 'last'): number {
  let depth = 0;
  let found = -1;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}') depth--;
    else if (depth === 0 && text.startsWith(needle, i)) {
      if (which === 'first') return i;
      found = i;
    }
  }
  return found;
}
