import type { Pagination } from './pagination.ts';
import type { Untyped } from './untyped.ts';

/** A method in upper or lower case; default `GET`. Only `proxy` and `paginate` read it. */
export type HttpMethod = StandardMethod | Lowercase<StandardMethod>;
type StandardMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'PROPFIND' | 'REPORT';

type QueryValue = string | number | boolean | null | undefined;

/**
 * The query. A text is appended unchanged; fields of an object replace those in the endpoint. A list becomes one
 * comma-joined value, `undefined` fields are left out, and `null` becomes the text "null".
 */
export type QueryParams = string | Record<string, QueryValue | readonly QueryValue[]>;

/** Response headers that say when to retry. With several names the longest wait is used. */
export interface RetryHeader {
  /** Time of the retry: seconds or milliseconds since the epoch, or a date. */
  at?: string | string[];
  /** Seconds to wait. */
  after?: string | string[];
  /** @deprecated Accepted without effect, as the next two: a provider's own rules are in its catalogue entry. */
  remaining?: string;
  error_code?: string[];
  in_body?: { path: string; value?: string; strategy: 'at' | 'after' };
}

/** One request to the provider. The hub adds credentials, base URL and the provider's headers. */
export interface ProxyConfiguration {
  /**
   * Path below the provider's base URL, for example `/v3/contacts`. `${connectionConfig.x}` is replaced by its value.
   */
  endpoint: string;
  method?: HttpMethod | undefined;
  params?: QueryParams | undefined;
  /**
   * Body of POST, PUT, PATCH, DELETE, PROPFIND and REPORT. An object is sent as JSON, or in the format of the `content-type` header
   * (`application/x-www-form-urlencoded`, `multipart/form-data`). Text and bytes are sent unchanged.
   */
  data?: Untyped;
  /** Headers that replace the hub's and the provider's headers of the same name. */
  headers?: Record<string, string | number | undefined> | undefined;
  /**
   * Further attempts after the first; default 0. A request is repeated after no response, statuses from 500, 429, 401
   * (once, with new credentials), and statuses in `retryOn`. Waits 3 s, 6 s, 12 s, ... unless a header says when.
   */
  retries?: number | undefined;
  /** Further statuses after which the request is repeated. Needs `retries`. */
  retryOn?: number[] | null | undefined;
  retryHeader?: RetryHeader | undefined;
  /** Base URL that replaces the provider's. */
  baseUrlOverride?: string | undefined;
  /**
   * By default a body is parsed as JSON if possible. `arraybuffer` returns a Buffer; `stream` and `blob` are not
   * available.
   */
  responseType?: 'arraybuffer' | 'blob' | 'document' | 'json' | 'text' | 'stream' | undefined;
  decompress?: boolean | 'true' | undefined;
  /** Whether the request's headers are sent to redirect targets too. Default: the provider's setting, else `false`. */
  forwardHeadersOnRedirect?: boolean | undefined;
  /** Only for `paginate`. Replaces the provider's settings field by field. */
  paginate?: Pagination | undefined;
  /** Use another connection instead of the function's own. */
  providerConfigKey?: string | undefined;
  connectionId?: string | undefined;
}

/** Options of the helpers: the helper sets the method, and an absolute base URL may replace the endpoint. */
export type ProxyRequest =
  | ProxyConfiguration
  | (Omit<ProxyConfiguration, 'endpoint'> & { endpoint?: string; baseUrlOverride: string });
