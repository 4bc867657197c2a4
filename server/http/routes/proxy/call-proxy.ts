import { finished } from 'node:stream';
import type { Request, Response } from 'express';
import { grants } from '../../../contract/api/key-scopes.ts';
import { type ProxyHeaders, proxyHeaders } from '../../../contract/api/proxy.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { discardBody, readAnnounced } from '../../../lib/outbound-body.ts';
import { OutboundError, toBodyError } from '../../../lib/outbound-error.ts';
import type { Operation, OperationLog } from '../../../services/logs/operation.ts';
import type { ProxyBody, ProxyCall, ProxyResponse, ProxyService } from '../../../services/proxy/proxy-service.ts';
import type { ApiRequest, Handler } from '../../route.ts';
import { validateHeaders } from '../../validate.ts';

export interface CallProxyDeps {
  proxy: ProxyService;
  log: OperationLog & { findOperation(environmentId: number, id: string): Promise<unknown> };
  logAttempt(
    operation: Operation,
    attempt: Parameters<NonNullable<ProxyCall['onAttempt']>>[0],
    mostAttempts: number,
  ): void;
  /** Code and message of a failure without an answer from the provider; undefined for other failures. */
  readNetworkFailure(error: unknown): { code: string; message: string } | undefined;
}

/**
 * Answers up to this size are sent in one piece, which is much cheaper than a stream. Larger answers are never
 * buffered.
 */
const SENT_WHOLE_BYTES = 256 * 1024;

/** Answers up to this size are written together with their headers. */
const SENT_WITH_HEADERS_BYTES = 16 * 1024;

/** The provider's endpoint is everything after `/proxy`, byte for byte, with the query (http-api.md 7). */
export function callProxy(use: CallProxyDeps): Handler {
  return async (request) => {
    const headers = validateHeaders(proxyHeaders, request.http.headers);
    // Must come first: it listens for the end of the caller's connection, which may end while the log is opened.
    const call = toCall(request, headers);
    const { operation, isOwn } = await openOperation(use.log, request, headers);
    let message = openingMessage(request, headers);
    let tap: ProxyResponse['tap'];
    call.record = (sent) => operation.record(sent);
    call.onAttempt = (attempt) => {
      message = `${call.method} ${pathOf(attempt.request.url)}`;
      use.logAttempt(operation, attempt, headers.retries + 1);
    };
    try {
      const answer = await use.proxy.call(call);
      ({ tap } = answer);
      await relay(call.method, answer, request.response);
      tap?.end();
      if (isOwn)
        operation.finish(answer.status < 400 ? 'success' : 'failed', { message, meta: { status: answer.status } });
    } catch (error) {
      tap?.end(true);
      const failure = describeFailure(use, error);
      const isGone = call.signal?.aborted === true;
      if (isOwn) operation.finish(isGone ? 'cancelled' : 'failed', { message, error: failure.logged });
      else if (!isGone && error instanceof OutboundError)
        operation.log({ level: 'error', context: 'proxy', message: error.message, error: failure.logged });
      if (isGone) return undefined;
      if (!failure.status) throw namedForCallers(error);
      // A part of the answer is already sent, so only closing the connection can show that it is incomplete.
      if (request.response.headersSent) request.response.destroy();
      else request.response.status(failure.status).json({ ...failure.answer, method: call.method });
    }
    return undefined;
  };
}

function toCall(request: ApiRequest, headers: ProxyHeaders): ProxyCall {
  const { http, response, caller } = request;
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
    ...(grants(caller.scopes, 'environment:connections:read_credentials') ? {} : { hidesCredentials: true }),
    signal: aborter.signal,
  };
}

/** Opens the operation that the caller names if it belongs to the caller's environment, else a new one. */
async function openOperation(
  log: CallProxyDeps['log'],
  request: ApiRequest,
  headers: ProxyHeaders,
): Promise<{ operation: Operation; isOwn: boolean }> {
  const named = headers['nango-activity-log-id'];
  if (named && (await log.findOperation(request.environment.id, named)))
    return { operation: log.attach(named), isOwn: false };
  const operation = log.start({
    environmentId: request.environment.id,
    type: 'proxy',
    action: 'call',
    message: openingMessage(request, headers),
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    trigger: 'api',
  });
  return { operation, isOwn: true };
}

/** Does not contain the path: which parts of it are secret is known only after the connection is read. */
function openingMessage({ http }: ApiRequest, headers: ProxyHeaders): string {
  return `${http.method} request to ${headers['provider-config-key']}`;
}

/** Path of a redacted address, without its query. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
}

/** Over HTTP a refused redirect has the same code as a refused address (http-api.md 7); functions get two codes. */
function namedForCallers(error: unknown): unknown {
  const isRedirect = error instanceof HomeportError && error.code === 'proxy_redirect_to_denied_host';
  return isRedirect ? new HomeportError('base_url_override_not_allowed', error.message, { cause: error }) : error;
}

/** Forwards `Nango-Proxy-<Name>` as `<Name>` and no other headers. */
function forwardedHeaders(headers: ApiRequest['http']['headers']): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('nango-proxy-') && value !== undefined)
      forwarded[name.slice('nango-proxy-'.length)] = [value].flat().join(', ');
  }
  return forwarded;
}

/**
 * Sends the provider's answer to the caller. Waits for the first part of the body before writing anything, so that an
 * early failure can still be reported. Rejects with OutboundError when the provider breaks off; the response is then
 * unsent or, if already started, incomplete.
 */
async function relay(method: string, answer: ProxyResponse, response: Response): Promise<void> {
  const length = answer.headers['content-length'];
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304) {
    void discardBody(answer.body);
    begin(answer, response);
    if (method === 'HEAD' && length !== undefined) response.setHeader('Content-Length', length);
    response.end();
  } else if (Number(length ?? Number.NaN) <= SENT_WHOLE_BYTES) {
    const bytes = await readAnnounced(answer.body);
    answer.tap?.take(bytes);
    begin(answer, response);
    response.setHeader('Content-Length', bytes.length);
    // Latin-1 has one byte per character. As a string, a small body is sent together with the headers in one write.
    if (bytes.length > SENT_WITH_HEADERS_BYTES) response.end(bytes);
    else response.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), 'latin1');
  } else {
    await stream(answer, response);
  }
}

function begin(answer: ProxyResponse, response: Response): void {
  if (answer.status > 999 || answer.status < 200)
    throw new OutboundError('ERR_BAD_RESPONSE', `The provider answered with the status ${answer.status}`);
  response.status(answer.status);
  copyResponseHeaders(response, answer.headers);
}

/** Streams at the caller's reading speed. When the caller disconnects, the signal of the call ends the body. */
function stream(answer: ProxyResponse, response: Response): Promise<void> {
  const { body, tap } = answer;
  const resume = (): unknown => body.resume();
  let hasBegun = false;
  return new Promise((resolve, reject) => {
    const take = (write: () => void): void => {
      try {
        if (!hasBegun) begin(answer, response);
        hasBegun = true;
        write();
      } catch (error) {
        reject(error);
        body.destroy();
      }
    };
    response.on('drain', resume);
    finished(body, { writable: false }, (error) => {
      response.off('drain', resume);
      if (error) return reject(toBodyError(error));
      take(() => response.end());
      resolve();
    });
    body.on('data', (chunk: Buffer) => {
      take(() => void (response.write(chunk) || body.pause()));
      tap?.take(chunk);
    });
  });
}

interface Failure {
  /** Undefined for refusals, which use the normal error envelope. */
  status?: number;
  answer?: { message: string; code: string };
  logged: { message: string; type?: string };
}

/**
 * The answer to a provider's failure, without the envelope (http-api.md 7): 504 when the provider stalls, 502 when its
 * answer is broken or incomplete, 500 when it does not answer.
 */
function describeFailure(use: CallProxyDeps, error: unknown): Failure {
  const noAnswer = use.readNetworkFailure(error);
  const found = noAnswer ?? (error instanceof OutboundError ? error : undefined);
  if (found) {
    const { code, message } = found;
    const status = code === 'ETIMEDOUT' ? 504 : noAnswer && code !== 'ERR_BAD_RESPONSE' ? 500 : 502;
    return {
      status,
      answer: { message, code },
      logged: { message, type: code },
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    logged: {
      message,
      ...(error instanceof HomeportError ? { type: error.code } : {}),
    },
  };
}

/** The caller's body as received: bytes with their content type. */
function proxyRequestBody(request: Request): { body?: ProxyBody } {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  // The content type as received: only it names the boundary of a form. A different type for the provider is set as a
  // header.
  const contentType = request.headers['content-type'] ?? request.headers['nango-proxy-content-type'];
  return {
    body: {
      kind: 'bytes',
      bytes: body,
      ...(contentType === undefined ? {} : { contentType: [contentType].flat().join(', ') }),
    },
  };
}

/** Hop-by-hop headers, and those that the hub itself sets (http-api.md 7, HP). */
const KEPT_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

function copyResponseHeaders(response: Response, headers: Record<string, string | string[] | undefined>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || KEPT_BACK.has(name) || name.startsWith('access-control-')) continue;
    response.setHeader(name, value);
  }
}
