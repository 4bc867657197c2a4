import { pipeline } from 'node:stream/promises';
import { proxyHeaders } from '../../../contract/api/proxy.ts';
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
  logAttempt(operation: Operation, attempt: Parameters<NonNullable<ProxyCall['onAttempt']>>[0], mostAttempts: number): void;
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
    const aborter = new AbortController();
    request.response.once('close', () => {
      if (!request.response.writableFinished) aborter.abort(new Error('The caller has gone.'));
    });
    try {
      const response = await use.proxy.call({
        target: {
          environmentId: request.environment.id,
          integrationKey: headers['provider-config-key'],
          connectionId: headers['connection-id'],
        },
        method: request.http.method,
        endpoint: request.http.originalUrl.replace(/^\/proxy\/?/i, '/'),
        headers: forwardedHeaders(request.http.headers),
        ...proxyRequestBody(request.http),
        retries: headers.retries,
        ...(headers['retry-on'] ? { retryOn: headers['retry-on'] } : {}),
        ...(headers['base-url-override'] ? { baseUrlOverride: headers['base-url-override'] } : {}),
        ...(headers.decompress === undefined ? {} : { decompress: headers.decompress }),
        ...(headers['forward-headers-on-redirect'] === undefined ? {} : { forwardHeadersOnRedirect: headers['forward-headers-on-redirect'] }),
        signal: aborter.signal,
        onAttempt: (attempt) => use.logAttempt(operation, attempt, headers.retries + 1),
      });
      if (isOwn) operation.finish(response.status < 400 ? 'success' : 'failed', { meta: { status: response.status } });
      await relay(request, response);
    } catch (error) {
      answerFailure(use, request, error);
      const message = error instanceof Error ? error.message : String(error);
      if (isOwn) operation.finish('failed', { error: { message, ...(error instanceof HomeportError ? { type: error.code } : {}) } });
      if (!request.response.headersSent) throw error;
    }
    return undefined;
  };
}

function openOperation(log: OperationLog, request: ApiRequest, headers: { 'provider-config-key': string; 'connection-id': string; 'nango-activity-log-id'?: string | undefined }): Operation {
  if (headers['nango-activity-log-id']) return log.attach(headers['nango-activity-log-id']);
  return log.start({
    environmentId: request.environment.id,
    type: 'proxy',
    action: 'call',
    // Without the query: it may hold what must not be kept.
    message: `${request.http.method} ${request.http.path.replace(/^\/proxy/i, '')}`,
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    trigger: 'api',
  });
}

/** `Nango-Proxy-<Name>` goes on as `<Name>`; nothing else does. */
function forwardedHeaders(headers: ApiRequest['http']['headers']): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('nango-proxy-') && value !== undefined) forwarded[name.slice('nango-proxy-'.length)] = [value].flat().join(', ');
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
