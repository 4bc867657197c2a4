import type { GuestRun, Members } from './guest-run.ts';
import { type ProxyConfiguration, sentData, toHttpRequest } from './http-request.ts';
import { type HttpResponse, type SentConfig, toHttpResponse } from './http-response.ts';
import { firstPage, isSinglePage, paginate } from './paginate.ts';

export type SendRequest = (config: ProxyConfiguration) => Promise<HttpResponse>;

/** The HTTP members of the context (functions.md 4 and 5). `onUnauthorized` is called for every response 401. */
export function httpMembers(run: GuestRun, onUnauthorized: () => void): Members {
  const send: SendRequest = async (config) => {
    const request = toHttpRequest(config);
    try {
      const { config: sent, ...response } = await run.host.call('http.request', request);
      return toHttpResponse(response, { ...sent, data: sentData(request) }, config.responseType);
    } catch (error) {
      const { config: sent, status } = error as { config?: SentConfig; status?: unknown };
      if (sent) sent.data = sentData(request);
      if (status === 401) onUnauthorized();
      throw error;
    }
  };
  // The path alone, as the types of an API description have it (functions.md 8.1), or the whole configuration.
  const withMethod = (method: string) => (request: string | ProxyConfiguration, further?: ProxyConfiguration) =>
    send(typeof request === 'string' ? { ...further, endpoint: request, method } : { ...request, method });
  return {
    proxy: send,
    get: withMethod('GET'),
    post: withMethod('POST'),
    put: withMethod('PUT'),
    patch: withMethod('PATCH'),
    delete: withMethod('DELETE'),
    paginate: (config: ProxyConfiguration) => {
      const pages = paginate(config, run.context.paginateDefaults, send, (hint) => run.log.internal('info', hint));
      const { singlePages } = run.context;
      return singlePages && isSinglePage(config, singlePages) ? firstPage(pages) : pages;
    },
  };
}
