import { isUtf8 } from 'node:buffer';
import { isRedactedKey, REDACTED } from '../../lib/secrets.ts';

/**
 * A JSON string, with the colon behind it if it is a name. An unclosed one ends with its line, so that a stray quote
 * has no effect beyond it. The pattern matches from every quote, so that a body is not read twice.
 */
const JSON_NAME = /"([^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"(\s*:\s*)?|(?=\n)|\\?$)/gs;
const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"?/sy;
const JSON_PLAIN = /[^\s,}\]"[{]+/y;
const XML_ELEMENT = /<(?:[\w.-]+:)?([\w.-]+)((?:\s[^<>]*)?)>[^<]+/g;
/** Bounded, because a body of headers only would otherwise be read once for each header. */
const FORM_PART = /(\bname="([^"]{0,200})"[^\r\n]{0,300}(?:\r\n[^\r\n]{1,300}){0,4}\r\n\r\n)([\s\S]*?)(?=\r\n--|$)/g;
const FORM_START = /^[\w.%[\]-]+=/;

/**
 * Removes secrets from a recorded body: values that `redact` knows, and members with names of secrets, as in the log.
 * The body may be cut anywhere, so it is not parsed, and its other text does not change. Bytes that are not text are
 * read as one character each.
 */
export function redactBody(body: Buffer, redact: (text: string) => string): Buffer {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  return Buffer.from(redactNamed(body.toString(encoding), redact), encoding);
}

/** Cheap checks come first: most bodies have one format only. */
function redactNamed(text: string, redact: (text: string) => string): string {
  let result = text;
  if (result.includes('"')) result = redactMembers(result);
  if (result.includes('</')) result = redactElements(result);
  if (result.includes('\r\n\r\n')) result = redactParts(result);
  // The first pair of a form has no `&` before it, which the pattern needs.
  return FORM_START.test(result) ? redact(`&${result}`).slice(1) : redact(result);
}

function redactMembers(text: string): string {
  let result = '';
  let copied = 0;
  for (const found of text.matchAll(JSON_NAME)) {
    const start = found.index + found[0].length;
    if (found.index < copied || found[2] === undefined || !isRedactedKey(found[1] ?? '')) continue;
    const end = endOfValue(text, start);
    if (end === start || /^(?:true|false|null)$/.test(text.slice(start, end))) continue;
    result += `${text.slice(copied, start)}"${REDACTED}"`;
    copied = end;
  }
  return result + text.slice(copied);
}

/** The end of the JSON value that begins at `start`; the end of the text when the value is cut. */
function endOfValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') at = endOf(JSON_TEXT, text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0) return endOf(JSON_PLAIN, text, at);
    if (character !== '"') at += 1;
  } while (depth > 0 && at < text.length);
  return depth < 0 ? start : at;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function redactElements(text: string): string {
  return text.replace(XML_ELEMENT, (whole, name: string) =>
    isRedactedKey(name) ? `${whole.slice(0, whole.indexOf('>') + 1)}${REDACTED}` : whole,
  );
}

function redactParts(text: string): string {
  return text.replace(FORM_PART, (whole, head: string, name: string) =>
    isRedactedKey(name) ? `${head}${REDACTED}` : whole,
  );
}

/** The bytes without an incomplete character at their end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
