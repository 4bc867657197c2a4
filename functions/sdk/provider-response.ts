import type { Untyped } from './untyped.ts';

/** The provider's response. Only 2xx resolves; any other result throws an {@link HttpError} after the retries. */
export interface HttpResponse<TData = Untyped> {
  /** Parsed JSON, else text; `''` without a body. See `responseType`. */
  data: TData;
  status: number;
  statusText: string;
  /** Names are in lower case. */
  headers: Record<string, Untyped>;
  config: Untyped;
  request?: Untyped;
}

/** Thrown for a refused or unanswered request. `status` and `response` exist only if the provider answered. */
export interface HttpError<TData = Untyped> extends Error {
  name: 'AxiosError';
  isAxiosError: true;
  /** `ERR_BAD_REQUEST` (4xx), `ERR_BAD_RESPONSE` (5xx), or the network error's code: `ECONNRESET`, `ETIMEDOUT`, ... */
  code?: string;
  status?: number;
  response?: HttpResponse<TData>;
  config?: Untyped;
}

/** Input of `uncontrolledFetch`. */
export interface UncontrolledFetchOptions {
  /** A `URL` of a public host. */
  url: { readonly href: string };
  method?: string;
  headers?: Record<string, string>;
  body?: string | null;
}

/** Headers of a response. Names are accepted in any case. */
export interface FetchHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  forEach(callback: (value: string, name: string) => void): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

/** The supported part of the web's `Response`. */
export interface FetchResponse {
  readonly status: number;
  readonly statusText: string;
  /** True for 200 to 299. */
  readonly ok: boolean;
  readonly url: string;
  readonly headers: FetchHeaders;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<Untyped>;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<FetchBlob>;
}

/** The supported part of the web's `Blob`. */
export interface FetchBlob {
  readonly type: string;
  readonly size: number;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
