import { isUtf8 } from 'node:buffer';
import { charsetOf, hasMark, textOfBody, withoutMark } from '../platform/lib/body-text.ts';
import { readExactJson } from '../platform/lib/exact-json.ts';
import { formToJson } from '../platform/lib/form-json.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { findJsonExcess } from '../platform/lib/json-limits.ts';
import type { ProviderWebhook } from './routing/webhook-routing.ts';

/** A provider's request, as the HTTP server received it. */
export interface IncomingRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** Unchanged, without the question mark. */
  query: string;
  /** Lower-case names; values of a repeated header are joined by `, `. */
  headers: Record<string, string>;
  /** Decompressed. */
  rawBody: Buffer;
}

export interface IncomingResponse {
  status: number;
  contentType?: string;
  /** Absent with a 204. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Headers of every request, and those that tunnels add. */
const TRANSPORT_HEADERS =
  /^(host|connection|content-length|user-agent|accept(-.*)?|sec-fetch-.*|x-forwarded-.*|via|cf-.*|x-real-ip|forwarded|true-client-ip|x-original-host)$/;

/** Whether the request contains nothing that could be handled or forwarded. */
export function isEmptyRequest({ headers, query, rawBody }: IncomingRequest): boolean {
  return rawBody.length === 0 && query === '' && Object.keys(headers).every((name) => TRANSPORT_HEADERS.test(name));
}

/** A webhook for routings, and the JSON text of its body for whoever gets it. */
export interface ReadWebhook extends ProviderWebhook {
  /** The body as it came; a form becomes an object, another text a JSON string (design.md 7.49). */
  json: string;
}

/**
 * Reads the request for routings. Throws `invalid_json` for a body that claims to be JSON and is not, `invalid_body`
 * for one beyond the limits of JSON or with bytes that are no text, and `request_too_large` beyond those of forms.
 */
export function readWebhook({ method, headers, query, rawBody }: IncomingRequest): ReadWebhook {
  return { method, headers, rawBody, query: readQuery(query), ...readBody(rawBody, headers['content-type'] ?? '') };
}

/** The first value of each name. */
function readQuery(query: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) values[name] ??= value;
  return values;
}

function readBody(rawBody: Buffer, contentType: string): Pick<ReadWebhook, 'body' | 'json'> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    const json = formToJson(rawBody, charsetOf(contentType));
    return { json, body: JSON.parse(json) };
  }
  const isJson = /^application\/(.*\+)?json$/.test(type);
  // Bytes that are no text, and are not said to be: as text they would be lost.
  if (!isJson && charsetOf(contentType) === undefined && !isUtf8(rawBody) && !hasMark(rawBody)) {
    const base64 = rawBody.toString('base64');
    return { json: JSON.stringify(base64), body: base64 };
  }
  const decoded = textOfBody(rawBody, contentType);
  const text = withoutMark(decoded);
  if (text.trim() === '') return { json: '{}', body: {} };
  const mayBeJson = isJson || /^\s*[[{]/.test(text);
  if (mayBeJson && findJsonExcess(text))
    throw new HomeportError('invalid_body', 'The body nests too many levels or has too many keys.');
  const value = mayBeJson ? readExactJson(text) : undefined;
  if (isJson && value === undefined) throw new HomeportError('invalid_json', 'The body is not valid JSON.');
  // Some providers send JSON with another content type, or with none.
  if (isJson || (typeof value === 'object' && value !== null)) return { json: text, body: value };
  return { json: JSON.stringify(decoded), body: decoded };
}
