import { createHash } from 'node:crypto';

/** A request as the function made it. */
export interface RequestParts {
  method: string;
  endpoint: string;
  params?: string | URLSearchParams | Record<string, unknown> | null | undefined;
  headers?: Record<string, unknown> | null | undefined;
  data?: unknown;
}

type Pair = readonly [string, string];

/** The members by which two requests count as equal (functions.md 8.3). */
export interface RequestIdentity {
  /** In lower case. */
  method: string;
  /** Path without the leading slash. Host and base path are not compared. */
  endpoint: string;
  params: Pair[];
  headers: Pair[];
  data?: string;
  /** SHA-1 of the members above. */
  hash: string;
}

/** Headers that change from run to run, and headers for the hub that never reach a provider. */
const IGNORED_HEADERS = new Set([
  'authorization',
  'user-agent',
  'nango-proxy-user-agent',
  'accept-encoding',
  'retries',
  'host',
  'connection-id',
  'provider-config-key',
  'nango-is-sync',
  'nango-is-script',
  'nango-is-dry-run',
  'nango-activity-log-id',
  'content-length',
  'accept',
  'base-url-override',
  'retry-on',
  'forward-headers-on-redirect',
]);
const PREFIX = 'nango-proxy-';
/** Longer bodies are compared by their hash. */
const MAX_DATA_LENGTH = 1000;

export function identifyRequest({ method, endpoint, params, headers, data }: RequestParts): RequestIdentity {
  const url = new URL(endpoint.replace(/^\/+/, '/'), 'http://provider');
  const body = identifyData(data);
  const parts = {
    method: method.toLowerCase(),
    endpoint: url.pathname.replace(/^\//, '').replace(/^proxy\//, ''),
    params: identifyParams(url, params),
    headers: identifyHeaders(headers),
    ...(body === undefined ? {} : { data: body }),
  };
  return { ...parts, hash: createHash('sha1').update(JSON.stringify(parts)).digest('hex') };
}

/** Text unchanged, bytes as base64, anything else as JSON; undefined when there is no body. */
export function identifyData(data: unknown): string | undefined {
  if (!data) return undefined;
  const text = typeof data === 'string' ? data : data instanceof Uint8Array ? toBase64(data) : JSON.stringify(data);
  return text.length > MAX_DATA_LENGTH ? `sha1:${createHash('sha1').update(text).digest('hex')}` : text;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function identifyParams(url: URL, params: RequestParts['params']): Pair[] {
  const query = url.searchParams;
  if (typeof params === 'string' || params instanceof URLSearchParams) {
    for (const [key, value] of new URLSearchParams(params)) query.append(key, value);
  } else {
    for (const [key, value] of Object.entries(params ?? {})) {
      if (value !== undefined) query.set(key, Array.isArray(value) ? value.join(',') : String(value));
    }
  }
  return [...query.entries()].sort(byKey);
}

function identifyHeaders(headers: RequestParts['headers']): Pair[] {
  const seen = new Map<string, Pair>();
  for (const [name, value] of Object.entries(headers ?? {})) {
    const plain = name.toLowerCase().startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    const key = plain.toLowerCase();
    if (IGNORED_HEADERS.has(name.toLowerCase()) || IGNORED_HEADERS.has(key) || seen.has(key)) continue;
    if (key === 'content-type' && saysNothing(value)) continue;
    seen.set(key, [plain, String(value)]);
  }
  return [...seen.values()].sort(byKey);
}

function saysNothing(contentType: unknown): boolean {
  const text = String(contentType);
  return ['application/json', 'undefined'].includes(text) || text.startsWith('application/x-www-form-urlencoded');
}

function byKey([a]: Pair, [b]: Pair): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
