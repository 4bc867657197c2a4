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
  headers?: Record<string, string> | undefined;
  body?: string | null;
}
