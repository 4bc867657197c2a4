import type { Pagination } from './pagination.ts';
import type { Untyped } from './untyped.ts';

/** A method in any case; `GET` when left out. Only `proxy` and `paginate` read it. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'get' | 'post' | 'put' | 'patch' | 'delete';

type QueryValue = string | number | boolean | null | undefined;

/**
 * The query: text is appended as it is; fields of an object replace those of the endpoint. A list becomes one
 * comma-joined value, `undefined` fields are left out, `null` becomes that word.
 */
export type QueryParams = string | Record<string, QueryValue | readonly QueryValue[]>;

/** Response headers that say when to try again; several names: the longest wait wins. */
export interface RetryHeader {
  /** Point in time: seconds or milliseconds since the epoch, or a date. */
  at?: string | string[];
  /** Seconds to wait. */
  after?: string | string[];
}

/** One request to the provider; credentials, base URL and the provider's headers are added by the hub. */
export interface ProxyConfiguration {
  /** Path below the provider's base URL, for example `/v3/contacts`. `${connectionConfig.x}` is filled in. */
  endpoint: string;
  method?: HttpMethod | undefined;
  params?: QueryParams | undefined;
  /**
   * Body of POST, PUT, PATCH and DELETE. Objects are sent as JSON, or as the `content-type` header asks
   * (`application/x-www-form-urlencoded`, `multipart/form-data`); text and bytes are sent as they are.
   */
  data?: Untyped;
  /** Replace the hub's and the provider's headers of the same name. */
  headers?: Record<string, string | number | undefined> | undefined;
  /**
   * Extra attempts after the first; default 0. Repeated are: no answer, statuses from 500, 429, 401 (once, with
   * fresh credentials), and those of `retryOn`. Waits 3 s, 6 s, 12 s, ... unless a header says when.
   */
  retries?: number | undefined;
  /** Further statuses to repeat; needs `retries`. */
  retryOn?: number[] | null | undefined;
  retryHeader?: RetryHeader | undefined;
  /** Base URL instead of the provider's. */
  baseUrlOverride?: string | undefined;
  /** Without it JSON is parsed when it parses. `arraybuffer` gives a Buffer; `stream` and `blob` are not available. */
  responseType?: 'arraybuffer' | 'blob' | 'document' | 'json' | 'text' | 'stream' | undefined;
  decompress?: boolean | 'true' | undefined;
  /** Send the request's headers to redirect targets too. Default: the provider's setting, else `false`. */
  forwardHeadersOnRedirect?: boolean | undefined;
  /** Read by `paginate` only; replaces the provider's settings field by field. */
  paginate?: Pagination | undefined;
  /** Another connection than the function's own. */
  providerConfigKey?: string | undefined;
  connectionId?: string | undefined;
}

/** What the helpers take: their own method wins, and an absolute base may stand in for the endpoint. */
export type ProxyRequest =
  | ProxyConfiguration
  | (Omit<ProxyConfiguration, 'endpoint'> & { endpoint?: string; baseUrlOverride: string });
