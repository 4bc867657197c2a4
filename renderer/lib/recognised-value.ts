import { bytesOf } from './base64.ts';

/** The meanings of a text or number in a JSON document. */
export type Recognised =
  | { kind: 'date'; iso: string }
  | { kind: 'token'; header: unknown; claims: unknown }
  | { kind: 'base64'; text: string };

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
/** 2001 to 2100: other numbers are amounts or ids. */
const FIRST_S = 978_307_200;
const LAST_S = 4_102_444_800;
const MIN_BASE64_LENGTH = 16;

/** The moment of a value: an ISO date, or seconds or milliseconds since the epoch. */
export function dateOf(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const ms = ISO.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  if (value >= FIRST_S && value <= LAST_S) return new Date(value * 1000).toISOString();
  const isMs = value >= FIRST_S * 1000 && value <= LAST_S * 1000;
  return isMs ? new Date(value).toISOString() : undefined;
}

/** Decodes only on request: the content of a token must not appear on a screen that others can see. */
export function recognise(value: unknown): Recognised | undefined {
  const iso = dateOf(value);
  if (iso !== undefined) return { kind: 'date', iso };
  if (typeof value !== 'string') return undefined;
  const parts = /^(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]*$/.exec(value);
  const header = parts && parsed(decode(parts[1] ?? ''));
  const claims = parts && parsed(decode(parts[2] ?? ''));
  if (header && claims) return { kind: 'token', header, claims };
  if (value.length < MIN_BASE64_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const text = decode(value);
  return text === undefined ? undefined : { kind: 'base64', text };
}

/** Readable text only. */
function decode(base64: string): string | undefined {
  try {
    const bytes = bytesOf(base64);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[\p{Cc}--[\n\r\t]]/v.test(text) ? undefined : text;
  } catch {
    // Neither base64 nor text.
    return undefined;
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // It only looked like a token.
    return undefined;
  }
}

/** The value in a line of formatted JSON, after its name; undefined for brackets. */
export function valueOfLine(line: string): unknown {
  const [, text = ''] = /^\s*(?!\s)(?:"(?:[^"\\]|\\.)*":\s)?(.*?),?$/.exec(line) ?? [];
  return parsed(text);
}

/** How many lines above are searched for the names of the enclosing members. */
const MAX_LINES = 50_000;

/** Member names and element indexes, outermost first. */
export type JsonPath = ReadonlyArray<string | number>;

/** Path of a line of JSON with an indentation of two spaces; undefined where finding it would take too long. */
export function pathOfLine(lineAt: (number: number) => string, number: number): JsonPath | undefined {
  const parts: Array<string | number> = [];
  let depth = depthOf(lineAt(number));
  let own: string | undefined = nameOf(lineAt(number));
  let position = 0;
  for (let at = number - 1; at >= 1 && depth > 0; at -= 1) {
    if (number - at > MAX_LINES) return undefined;
    const line = lineAt(at);
    const level = depthOf(line);
    if (level === depth && !/^[\]}]/.test(line.trim())) position += 1;
    if (level >= depth) continue;
    parts.unshift(own ?? position);
    own = nameOf(line);
    position = 0;
    depth = level;
  }
  return parts;
}

/** JSON Pointer (RFC 6901). */
export const toPointer = (path: JsonPath): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** JSONPath (RFC 9535): `$.list[0]['odd key']`. */
export const toJsonPath = (path: JsonPath): string =>
  `$${path.map((part) => (typeof part === 'number' ? `[${part}]` : memberSegment(part))).join('')}`;

const memberSegment = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name)
    ? `.${name}`
    : `['${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}']`;

/** The value at a path; undefined where there is none. */
export function memberAt(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Record<string | number, unknown>)[part];
  }, document);
}

const depthOf = (line: string): number => line.length - line.trimStart().length;

function nameOf(line: string): string | undefined {
  const name = /^\s*("(?:[^"\\]|\\.)*"):\s/.exec(line)?.[1];
  return name === undefined ? undefined : String(parsed(name));
}
