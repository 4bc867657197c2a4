import type { FetchResponse, HttpResponse, UncontrolledFetchOptions } from './provider-response.ts';
import type { ProxyConfiguration, ProxyRequest } from './proxy-configuration.ts';
import type { Untyped } from './untyped.ts';

/**
 * Requests to the provider. Each adds the connection's credentials, refreshes them when they expired, repeats as
 * `retries` says and writes one log entry per attempt. A status outside 2xx throws an `HttpError`.
 */
export interface HttpMethods {
  get<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  post<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  put<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  patch<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  delete<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  /** Any method: the one in `config.method`, else GET. */
  proxy<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  /**
   * Page after page, each a list of items: `for await (const contacts of nango.paginate({...}))`.
   * Throws when neither the call nor the provider's catalogue entry says how to paginate.
   */
  paginate<T = Untyped>(config: ProxyConfiguration): AsyncGenerator<T[], undefined, void>;
  /**
   * A plain request to any public host: no credentials, no retries, at most 5 redirects. Does not throw on 4xx
   * and 5xx. A refused address throws an ActionError with the payload `{code, message}`
   * (`url_not_allowed`, `too_many_redirects`, `invalid_redirect`).
   */
  uncontrolledFetch(options: UncontrolledFetchOptions): Promise<FetchResponse>;
}
