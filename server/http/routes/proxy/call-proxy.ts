import { pipeline } from 'node:stream/promises';
import { type ProxyHeaders, proxyHeaders } from '../../../contract/api/proxy.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { readBody } from '../../../lib/outbound-body.ts';
import type { Operation, OperationLog } from '../../../services/logs/operation.ts';
import type { ProxyCall, ProxyResponse, ProxyService } from '../../../services/proxy/proxy-service.ts';
import type { ApiRequest, Handler } from '../../route.ts';
import { validateHeaders } from '../../validate.ts';
import { proxyRequestBody } from './proxy-request-body.ts';
import { copyResponseHeaders } from './proxy-response-headers.ts';

export interface CallProxyUse {
  proxy: ProxyService;
  log: OperationLog;
  logAttempt(
    operation: Operation,
    attempt: Parameters<NonNullable<ProxyCall['onAttempt']>>[0],
    mostAttempts: number,
  ): void;
  /** Whether the failure means that no answer came; its code and message. */
  readNetworkFailure(error: unknown): { code: string; message: string } | undefined;
}

/** Answers up to this size are sent in one piece, which costs a fraction of a stream; larger ones are never held. */
const SENT_WHOLE_BYTES = 256 * 1024;

/** Everything after `/proxy`, query included and byte for byte, is the provider's endpoint (http-api.md 7). */
export function callProxy(use: CallProxyUse): Handler {
  return async (request) => {
    const headers = validateHeaders(proxyHeaders, request.http.headers);
    const operation = openOperation(use.log, request, headers);
    const isOwn = !headers['nango-activity-log-id'];
    let message = openingMessage(request, headers);
    const call = toCall(request, headers);
    call.onAttempt = (attempt) => {
      message = `${call.method} ${pathOf(attempt.request.url)}`;
      use.logAttempt(operation, attempt, headers.retries + 1);
    };
    try {
      const response = await use.proxy.call(call);
      if (isOwn)
        operation.finish(response.status < 400 ? 'success' : 'failed', { message, meta: { status: response.status } });
      await relay(request, response);
    } catch (error) {
      answerFailure(use, request, error);
      const reason = error instanceof Error ? error.message : String(error);
      if (isOwn)
        operation.finish('failed', {
          message,
          error: { message: reason, ...(error instanceof HomeportError ? { type: error.code } : {}) },
        });
      if (!request.response.headersSent) throw namedForCallers(error);
    }
    return undefined;
  };
}

function toCall(request: ApiRequest, headers: ProxyHeaders): ProxyCall {
  const { http, response } = request;
  const aborter = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) aborter.abort(new Error('The caller has gone.'));
  });
  return {
    target: {
      environmentId: request.environment.id,
      integrationKey: headers['provider-config-key'],
      connectionId: headers['connection-id'],
    },
    method: http.method,
    endpoint: http.originalUrl.replace(/^\/proxy\/?/i, '/'),
    headers: forwardedHeaders(http.headers),
    ...proxyRequestBody(http),
    retries: headers.retries,
    ...(headers['retry-on'] ? { retryOn: headers['retry-on'] } : {}),
    ...(headers['base-url-override'] ? { baseUrlOverride: headers['base-url-override'] } : {}),
    ...(headers.decompress === undefined ? {} : { decompress: headers.decompress }),
    ...(headers['forward-headers-on-redirect'] === undefined
      ? {}
      : { forwardHeadersOnRedirect: headers['forward-headers-on-redirect'] }),
    signal: aborter.signal,
  };
}

function openOperation(log: OperationLog, request: ApiRequest, headers: ProxyHeaders): Operation {
  if (headers['nango-activity-log-id']) return log.attach(headers['nango-activity-log-id']);
  return log.start({
    environmentId: request.environment.id,
    type: 'proxy',
    action: 'call',
    message: openingMessage(request, headers),
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    trigger: 'api',
  });
}

/** Without the path: what in it is secret is known once the connection is. */
function openingMessage({ http }: ApiRequest, headers: ProxyHeaders): string {
  return `${http.method} request to ${headers['provider-config-key']}`;
}

/** Path of a redacted address, without its query. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
}

/** Over HTTP a refused redirect has the code of a refused address (http-api.md 7); functions tell them apart. */
function namedForCallers(error: unknown): unknown {
  const isRedirect = error instanceof HomeportError && error.code === 'proxy_redirect_to_denied_host';
  return isRedirect ? new HomeportError('base_url_override_not_allowed', error.message, { cause: error }) : error;
}

/** `Nango-Proxy-<Name>` goes on as `<Name>`; nothing else does. */
function forwardedHeaders(headers: ApiRequest['http']['headers']): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('nango-proxy-') && value !== undefined)
      forwarded[name.slice('nango-proxy-'.length)] = [value].flat().join(', ');
  }
  return forwarded;
}

async function relay({ response }: ApiRequest, answer: ProxyResponse): Promise<void> {
  response.status(answer.status);
  copyResponseHeaders(response, answer.headers);
  if (answer.status === 204 || answer.status === 304) {
    answer.body.resume();
    response.end();
    return;
  }
  if (Number(answer.headers['content-length'] ?? Number.NaN) <= SENT_WHOLE_BYTES) {
    const body = await readBody(answer.body, SENT_WHOLE_BYTES);
    response.setHeader('Content-Length', body.length).end(body);
    return;
  }
  await pipeline(answer.body, response);
}

/** A provider that gave no answer is reported without the envelope (http-api.md 7). */
function answerFailure(use: CallProxyUse, { http, response }: ApiRequest, error: unknown): void {
  const failure = use.readNetworkFailure(error);
  if (!failure || response.headersSent) return;
  response.status(500).json({ message: failure.message, code: failure.code, method: http.method });
}
