import { isJsonObject } from '../platform/lib/json-object.ts';

/**
 * Names of headers that are stored as their place in this list. Stored messages contain the places, so this list only
 * grows at its end.
 */
const NAMES = [
  ...['content-length', 'date', 'etag', 'last-modified', 'expires', 'age', 'content-type', 'cache-control', 'vary'],
  ...['server', 'location', 'link', 'set-cookie', 'retry-after', 'content-encoding', 'content-disposition', 'range'],
  ...['content-range', 'accept', 'accept-language', 'authorization', 'user-agent', 'x-request-id', 'request-id'],
  ...['x-correlation-id', 'x-trace-id', 'traceparent', 'x-runtime', 'x-response-time', 'server-timing', 'cf-ray'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-used', 'x-ratelimit-resource'],
  ...['x-rate-limit-limit', 'x-rate-limit-remaining', 'x-rate-limit-reset', 'ratelimit-limit', 'ratelimit-remaining'],
  ...['ratelimit-reset', 'ratelimit-policy', 'ratelimit', 'x-total-count', 'x-amz-cf-id', 'x-amz-cf-pop', 'via', 'nel'],
  ...['x-served-by', 'x-cache', 'x-cache-hits', 'x-timer', 'x-envoy-upstream-service-time', 'report-to', 'alt-svc'],
  ...['content-security-policy', 'strict-transport-security', 'permissions-policy', 'x-github-request-id', 'x-api-key'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'access-control-allow-headers', 'x-powered-by'],
  ...['access-control-allow-methods', 'access-control-max-age', 'x-oauth-scopes', 'x-accepted-oauth-scopes', 'allow'],
  ...['x-github-media-type', 'x-github-api-version-selected', 'accept-ranges', 'www-authenticate', 'idempotency-key'],
] as const;

/** Whole headers that are stored as their place. This list only grows at its end, too. */
const LINES = [
  'accept: application/json, text/plain, */*',
  'accept: application/json',
  'accept: */*',
  'accept-encoding: gzip, deflate, br, zstd',
  'accept-encoding: identity',
  'authorization: REDACTED',
  'user-agent: Homeport',
  'content-type: application/json',
  'content-type: application/json; charset=utf-8',
  'content-type: application/json;charset=utf-8',
  'content-type: application/json; charset=UTF-8',
  'content-type: application/json;charset=UTF-8',
  'content-type: application/x-www-form-urlencoded',
  'content-type: text/html; charset=utf-8',
  'content-type: text/plain; charset=utf-8',
  'content-type: text/plain',
  'content-encoding: gzip',
  'content-encoding: br',
  'connection: keep-alive',
  'connection: close',
  'keep-alive: timeout=5',
  'transfer-encoding: chunked',
  'set-cookie: REDACTED',
  'cache-control: no-cache',
  'cache-control: no-store',
  'cache-control: private',
  'cache-control: private, max-age=0',
  'cache-control: no-cache, no-store',
  'cache-control: no-cache, no-store, must-revalidate',
  'cache-control: no-cache, no-store, max-age=0, must-revalidate',
  'cache-control: max-age=0, private, must-revalidate',
  'cache-control: private, no-cache, no-store, must-revalidate',
  'pragma: no-cache',
  'expires: 0',
  'vary: Accept-Encoding',
  'vary: accept-encoding',
  'vary: Origin',
  'vary: Accept',
  'vary: Accept, Accept-Encoding',
  'vary: Origin, Accept-Encoding',
  'server: nginx',
  'server: cloudflare',
  'server: github.com',
  'server: ESF',
  'server: envoy',
  'server: gunicorn',
  'server: AmazonS3',
  'server: istio-envoy',
  'cf-cache-status: DYNAMIC',
  'x-powered-by: Express',
  'accept-ranges: bytes',
  'x-content-type-options: nosniff',
  'x-frame-options: DENY',
  'x-frame-options: deny',
  'x-frame-options: SAMEORIGIN',
  'x-xss-protection: 0',
  'x-xss-protection: 1; mode=block',
  'x-download-options: noopen',
  'x-permitted-cross-domain-policies: none',
  'referrer-policy: no-referrer',
  'referrer-policy: strict-origin-when-cross-origin',
  'referrer-policy: origin-when-cross-origin, strict-origin-when-cross-origin',
  "content-security-policy: default-src 'none'",
  'strict-transport-security: max-age=31536000',
  'strict-transport-security: max-age=31536000; includeSubDomains',
  'strict-transport-security: max-age=31536000; includeSubDomains; preload',
  'strict-transport-security: max-age=31536000; includeSubdomains; preload',
  'strict-transport-security: max-age=15552000; includeSubDomains',
  'strict-transport-security: max-age=63072000; includeSubDomains; preload',
  'access-control-allow-origin: *',
  'access-control-allow-credentials: true',
  'alt-svc: h3=":443"; ma=86400',
  'alt-svc: h3=":443"; ma=2592000,h3-29=":443"; ma=2592000',
  'nel: {"success_fraction":0,"report_to":"cf-nel","max_age":604800}',
  'x-accepted-github-permissions: ',
] as const;

interface KnownName {
  place: number | undefined;
  /** Places of the lines with this name, by value. */
  lines: Map<string, number>;
}

const lines = LINES.map((line): [string, string] => {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
});
const known = new Map<string, KnownName>(NAMES.map((name, place) => [name, { place, lines: new Map() }]));
for (const [place, [name, value]] of lines.entries()) {
  const of = known.get(name) ?? { place: undefined, lines: new Map<string, number>() };
  of.lines.set(value, place);
  known.set(name, of);
}

/** `n` is a known line; `-1 - n` a known name, and a text an unknown one: their values follow. */
export type StoredHeaders = Array<number | string>;

/** Adds headers to `stored`; undefined for those that could not be read back as they are. */
export function storeHeaders(headers: unknown, stored: StoredHeaders): StoredHeaders | undefined {
  if (!isJsonObject(headers)) return undefined;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string' || name === '__proto__') return undefined;
    const of = known.get(name);
    const line = of?.lines.get(value);
    if (line === undefined) stored.push(of?.place === undefined ? name : -1 - of.place, value);
    else stored.push(line);
  }
  return stored;
}

export function readHeaders(stored: StoredHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  const entries = stored.values();
  for (const entry of entries) {
    const [name = '', value = ''] =
      typeof entry === 'number' && entry >= 0
        ? (lines[entry] ?? [])
        : [typeof entry === 'string' ? entry : NAMES[-1 - entry], String(entries.next().value)];
    headers[name] = value;
  }
  return headers;
}
