import qs from 'qs';
import { HomeportError } from '../../lib/homeport-error.ts';
import { findJsonExcess } from '../../lib/json-limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
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

/**
 * Reads the request for routings. Throws `invalid_json` for a body that claims to be JSON and is not, and
 * `invalid_body` for one beyond the limits of JSON.
 */
export function readWebhook({ headers, query, rawBody }: IncomingRequest): ProviderWebhook {
  return { headers, rawBody, query: readQuery(query), body: readBody(rawBody, headers['content-type'] ?? '') };
}

/** The first value of each name. */
function readQuery(query: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) values[name] ??= value;
  return values;
}

function readBody(rawBody: Buffer, contentType: string): unknown {
  const text = rawBody.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') return {};
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded')
    return qs.parse(text, { parameterLimit: 2000, allowPrototypes: true });
  const isJson = /^application\/(.*\+)?json$/.test(type);
  const mayBeJson = isJson || /^\s*[[{]/.test(text);
  if (mayBeJson && findJsonExcess(text))
    throw new HomeportError('invalid_body', 'The body nests too many levels or has too many keys.');
  const value = mayBeJson ? parseJson(text) : undefined;
  if (isJson) {
    if (value === undefined) throw new HomeportError('invalid_json', 'The body is not valid JSON.');
    return value;
  }
  // Some providers send JSON with another content type, or with none.
  return typeof value === 'object' && value !== null ? value : text;
}
