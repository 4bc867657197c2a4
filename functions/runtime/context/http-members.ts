import type { GuestRun, Members } from './guest-run.ts';
import { type ProxyConfiguration, toHttpRequest } from './http-request.ts';
import { type HttpResponse, toHttpResponse } from './http-response.ts';
import { paginate } from './paginate.ts';

export type SendRequest = (config: ProxyConfiguration) => Promise<HttpResponse>;

/** functions.md 4 and 5. `onUnauthorized` is told of every answer 401. */
export function httpMembers(run: GuestRun, onUnauthorized: () => void): Members {
  const send: SendRequest = async (config) => {
    try {
      const { config: sent, ...response } = await run.host.call('http.request', toHttpRequest(config));
      return toHttpResponse(response, sent, config.responseType);
    } catch (error) {
      if ((error as { status?: unknown }).status === 401) onUnauthorized();
      throw error;
    }
  };
  const withMethod = (method: string) => (config: ProxyConfiguration) => send({ ...config, method });
  return {
    proxy: send,
    get: withMethod('GET'),
    post: withMethod('POST'),
    put: withMethod('PUT'),
    patch: withMethod('PATCH'),
    delete: withMethod('DELETE'),
    paginate: (config: ProxyConfiguration) => paginate(config, run.context.paginateDefaults, send),
  };
}
