import qs from 'qs';
import { HomeportError } from '../../lib/homeport-error.ts';
import { findJsonExcess } from '../../lib/json-limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { ProviderWebhook } from './routing/webhook-routing.ts';

/** A request of a provider as the HTTP server received it. */
export interface IncomingRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** As it came, without the question mark. */
  query: string;
  /** Lower-case names; values of a repeated header are joined by `, `. */
  headers: Record<string, string>;
  /** Decompressed. */
  rawBody: Buffer;
}

export interface IncomingAnswer {
  status: number;
  contentType?: string;
  /** Absent with a 204. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Headers that every request has, and those that tunnels add. */
const TRANSPORT_HEADERS =
  /^(host|connection|content-length|user-agent|accept(-.*)?|sec-fetch-.*|x-forwarded-.*|via|cf-.*|x-real-ip|forwarded|true-client-ip|x-original-host)$/;

/** Nothing of it could be handled or passed on. */
export function isEmptyRequest({ headers, query, rawBody }: IncomingRequest): boolean {
  return rawBody.length === 0 && query === '' && Object.keys(headers).every((name) => TRANSPORT_HEADERS.test(name));
}

/**
 * What routings read. A body that says it is JSON and is not throws `invalid_json`; one beyond the limits of JSON throws
 * `invalid_body`.
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
  if (type === 'application/x-www-form-urlencoded') return qs.parse(text, { parameterLimit: 2000 });
  const isJson = /^application\/(.*\+)?json$/.test(type);
  const mayBeJson = isJson || /^\s*[[{]/.test(text);
  if (mayBeJson && findJsonExcess(text))
    throw new HomeportError('invalid_body', 'The body nests too many levels or has too many keys.');
  const value = mayBeJson ? parseJson(text) : undefined;
  if (isJson) {
    if (value === undefined) throw new HomeportError('invalid_json', 'The body is not valid JSON.');
    return value;
  }
  // Some providers send JSON under another type, or under none.
  return typeof value === 'object' && value !== null ? value : text;
}
