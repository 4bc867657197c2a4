import type { Readable } from 'node:stream';

export interface Hop {
  method: string;
  url: URL;
  /** Raw path and query, when they must not be normalised. */
  rawPath?: string | undefined;
  headers: Record<string, string>;
  body: string | Uint8Array | Readable | undefined;
}

export interface RedirectRules {
  keepsHeaders: boolean;
  /** True repeats the request unchanged after any redirect. */
  keepsMethod: boolean;
  /** Further header names that carry credentials. */
  sensitiveHeaders: readonly string[];
  /** Body to send to another host instead. Default: the same body. */
  bodyWithoutSecrets?: { content: string | Uint8Array | undefined } | undefined;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

/** The target of a redirect; undefined when the response is not a redirect. */
export function redirectTarget(status: number, location: string | string[] | undefined, from: URL): URL | undefined {
  const target = Array.isArray(location) ? location[0] : location;
  if (!REDIRECT_STATUSES.has(status) || !target) return undefined;
  return URL.parse(target, from.href) ?? undefined;
}

/**
 * The request of the next hop. Credentials are removed when the host changes or https ends, unless the caller asked to
 * keep them. 303, and 301/302 after POST, continue as GET without a body, unless the caller asked to keep method and
 * body.
 */
export function followRedirect(hop: Hop, status: number, target: URL, rules: RedirectRules): Hop {
  const becomesGet =
    !rules.keepsMethod &&
    ((status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST'));
  const changesHost = target.host !== hop.url.host || (hop.url.protocol === 'https:' && target.protocol !== 'https:');
  const leavesSecrets = changesHost && !rules.keepsHeaders;
  const repeated = leavesSecrets && rules.bodyWithoutSecrets ? rules.bodyWithoutSecrets.content : hop.body;
  const body = becomesGet ? undefined : repeated;
  const dropped = new Set([
    'host',
    ...(becomesGet || (hop.body !== undefined && body === undefined) ? BODY_HEADERS : []),
    ...(leavesSecrets ? [...CREDENTIAL_HEADERS, ...rules.sensitiveHeaders] : []),
  ]);
  return {
    method: becomesGet ? 'GET' : hop.method,
    url: target,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped.has(name.toLowerCase()))),
    body,
  };
}
