import type { HttpResponse, UncontrolledFetchOptions } from './provider-response.ts';
import type { ProxyConfiguration, ProxyRequest } from './proxy-configuration.ts';
import type { Untyped } from './untyped.ts';

/**
 * Requests to the provider. Each request adds the connection's credentials, refreshes them if they have expired, is
 * repeated according to `retries`, and writes one log entry per attempt. A status outside 2xx throws an `HttpError`.
 */
export interface HttpMethods {
  get<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  post<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  put<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  patch<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  delete<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  /** Sends a request with the method in `config.method`; default GET. */
  proxy<T = Untyped>(config: ProxyRequest): Promise<HttpResponse<T>>;
  /**
   * Yields one page after the other, each as a list of items: `for await (const contacts of nango.paginate({...}))`.
   * Throws when neither the call nor the provider's catalogue entry says how to paginate.
   */
  paginate<T = Untyped>(config: ProxyConfiguration): AsyncGenerator<T[], undefined, void>;
  /**
   * A plain request to any public host: no credentials, no retries, at most 5 redirects. Does not throw on 4xx and 5xx.
   * A refused address throws an ActionError with the payload `{code, message}` (`url_not_allowed`,
   * `too_many_redirects`, `invalid_redirect`). The response is read whole: it has no `body` stream and no `formData()`.
   */
  uncontrolledFetch(options: UncontrolledFetchOptions): Promise<Response>;
}
