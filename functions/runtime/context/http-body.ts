import type { GuestHttpBody } from '../bridge.ts';
import { bufferBytes } from '../globals/buffer-global.ts';
import { URLSearchParams } from '../globals/url-search-params.ts';
import {
  ArrayIsArray,
  ArrayPrototypePush,
  DatePrototypeToISOString,
  forEachEntry,
  isInstance,
  JSONParse,
  JSONStringify,
  PrimordialDate,
  toText,
} from '../primordials.ts';

type MultipartPart = Extract<GuestHttpBody, { kind: 'multipart' }>['parts'][number];

/** Encodes `data` as described in functions.md 4.2. `contentType` is the caller's own header, if any. */
export function encodeBody(data: unknown, contentType: string | undefined): GuestHttpBody | undefined {
  if (!data) return undefined;
  const type = contentType?.toLowerCase() ?? '';
  const bytes = bufferBytes(data);
  if (bytes) return { kind: 'bytes', bytes };
  if (data instanceof URLSearchParams) return { kind: 'form', text: data.toString() };
  if (typeof data === 'string') return encodeText(data, type);
  if (typeof data === 'object' && type === 'multipart/form-data') return { kind: 'multipart', parts: toParts(data) };
  if (typeof data === 'object' && type.startsWith('application/x-www-form-urlencoded')) {
    return { kind: 'form', text: toForm(data) };
  }
  const text = JSONStringify(data);
  return text === undefined ? undefined : { kind: 'json', text };
}

function encodeText(text: string, contentType: string): GuestHttpBody {
  if (contentType.includes('json')) return { kind: 'json', text: isJson(text) ? text : JSONStringify(text) };
  const isForm = contentType === '' || contentType.startsWith('application/x-www-form-urlencoded');
  return { kind: isForm ? 'form' : 'text', text };
}

function isJson(text: string): boolean {
  try {
    JSONParse(text);
    return true;
  } catch {
    // Plain text with a JSON content type. The caller of this function puts it in quotes.
    return false;
  }
}

/** One part per top-level key. */
function toParts(data: object): MultipartPart[] {
  const parts: MultipartPart[] = [];
  forEachEntry(data as Record<string, unknown>, (name, value) => {
    if (value === undefined || value === null) return;
    const bytes = bufferBytes(value);
    const text = bytes ? '' : typeof value === 'object' ? JSONStringify(value) : toText(value);
    ArrayPrototypePush(parts, bytes ? { name, bytes } : { name, text });
  });
  return parts;
}

/** Nested members are written as `key[member]`, list items as `key[]`. */
function toForm(data: object): string {
  const params = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (ArrayIsArray(value)) for (let index = 0; index < value.length; index++) add(`${name}[]`, value[index]);
    else if (isInstance(value, PrimordialDate)) params.append(name, DatePrototypeToISOString(value));
    else if (typeof value === 'object')
      forEachEntry(value as Record<string, unknown>, (key, member) => add(`${name}[${key}]`, member));
    else params.append(name, value);
  };
  forEachEntry(data as Record<string, unknown>, add);
  return params.toString();
}
