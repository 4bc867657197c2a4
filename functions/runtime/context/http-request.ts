import type { GuestHttpRequest } from '../bridge.ts';
import { URLSearchParams } from '../globals/url-search-params.ts';
import { ArrayIsArray, forEachEntry, NumberIsFinite, toNumber, toText } from '../primordials.ts';
import { encodeBody } from './http-body.ts';
import type { ResponseType } from './http-response.ts';

/** Request options (functions.md 4.1). Other members are ignored. */
export interface ProxyConfiguration {
  endpoint: string;
  method?: string;
  params?: string | Record<string, unknown>;
  data?: unknown;
  headers?: Record<string, unknown>;
  retries?: number;
  retryOn?: number[] | null;
  retryHeader?: { at?: string | string[]; after?: string | string[] };
  baseUrlOverride?: string;
  responseType?: ResponseType;
  decompress?: boolean | 'true';
  forwardHeadersOnRedirect?: boolean;
  /** Set by `paginate` only: the base URL comes from a response. */
  followsLink?: boolean;
  paginate?: Record<string, unknown>;
  providerConfigKey?: string;
  connectionId?: string;
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'REPORT']);

export function toHttpRequest(config: ProxyConfiguration): GuestHttpRequest {
  if (typeof config !== 'object' || config === null) throw new TypeError('The request needs a configuration object');
  if (config.responseType === 'stream') {
    throw new Error("responseType 'stream' is not available in functions; use 'arraybuffer'");
  }
  const method = (config.method ?? 'GET').toUpperCase();
  const headers = lowerCased(config.headers);
  const body = WITH_BODY.has(method) ? encodeBody(config.data, headers['content-type']) : undefined;
  // The host sets this header, because only the host knows the boundary.
  if (body?.kind === 'multipart') delete headers['content-type'];
  const params = toParams(config.params);
  return {
    method,
    endpoint: toText(config.endpoint ?? ''),
    headers,
    expect: config.responseType === 'arraybuffer' ? 'bytes' : 'text',
    ...(params === undefined ? {} : { params }),
    ...(body ? { body } : {}),
    ...retryOptions(config),
    ...targetOptions(config),
  };
}

/** The body as sent, which errors and answers repeat. The parts of a form are not combined here. */
export function sentData({ body }: GuestHttpRequest): unknown {
  if (!body || body.kind === 'multipart') return undefined;
  return body.kind === 'bytes' ? body.bytes : body.text;
}

function retryOptions(config: ProxyConfiguration): Partial<GuestHttpRequest> {
  const { retries, retryOn, retryHeader } = config;
  if (retryOn && !ArrayIsArray(retryOn))
    throw new TypeError('retryOn takes a list of statuses, for example [404, 429]');
  return {
    ...(retries ? { retries: finite(retries) ?? 0 } : {}),
    ...(retryOn ? { retryOn: retryOn.map(finite).filter((status) => status !== undefined) } : {}),
    ...(retryHeader ? { retryHeader: { ...names('at', retryHeader.at), ...names('after', retryHeader.after) } } : {}),
  };
}

function targetOptions(config: ProxyConfiguration): Partial<GuestHttpRequest> {
  return {
    ...(config.providerConfigKey === undefined ? {} : { providerConfigKey: toText(config.providerConfigKey) }),
    ...(config.connectionId === undefined ? {} : { connectionId: toText(config.connectionId) }),
    ...(config.forwardHeadersOnRedirect === undefined
      ? {}
      : { forwardHeadersOnRedirect: config.forwardHeadersOnRedirect === true }),
    ...(config.baseUrlOverride ? { baseUrlOverride: toText(config.baseUrlOverride) } : {}),
    ...(config.followsLink === true ? { followsLink: true } : {}),
    ...(config.decompress === undefined
      ? {}
      : { decompress: config.decompress === true || config.decompress === 'true' }),
  };
}

function finite(value: unknown): number | undefined {
  const number = toNumber(value);
  return NumberIsFinite(number) ? number : undefined;
}

/** One header name or several. */
function names<K extends 'at' | 'after'>(key: K, value: unknown): { [P in K]?: string | string[] } {
  if (value === undefined || value === null) return {};
  return { [key]: ArrayIsArray(value) ? value.map(toText) : toText(value) } as { [P in K]: string | string[] };
}

function lowerCased(headers: Record<string, unknown> = {}): Record<string, string> {
  const out: Record<string, string> = {};
  forEachEntry(headers ?? {}, (name, value) => {
    if (value !== undefined && value !== null) out[name.toLowerCase()] = toText(value);
  });
  return out;
}

/** An array becomes one comma-joined value, `undefined` is dropped, and `null` becomes the text "null". */
function toParams(params: ProxyConfiguration['params']): string | Record<string, string> | undefined {
  if (params === undefined || params === null || params === '') return undefined;
  if (typeof params === 'string') return params;
  if (params instanceof URLSearchParams) return params.toString();
  const out: Record<string, string> = {};
  forEachEntry<unknown>(params as Record<string, unknown>, (name, value) => {
    if (value !== undefined) out[name] = ArrayIsArray(value) ? value.join(',') : toText(value);
  });
  return out;
}
