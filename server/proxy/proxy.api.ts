import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import qs from 'qs';
import { z } from 'zod';
import { grants } from '../environments/key-scopes.contract.ts';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import type { LimitsService } from '../limits/limits.service.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import { parseBody } from '../platform/http/parse-body.ts';
import type { ApiRequest, Handler, PublicRoute } from '../platform/http/route.ts';
import { validateHeaders } from '../platform/http/validate.ts';
import { textOfBody, withoutMark } from '../platform/lib/body-text.ts';
import { parseJsonTexts } from '../platform/lib/exact-json.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError, toBodyError } from '../platform/lib/outbound-error.ts';
import { discardBody, readAnnounced } from '../platform/lib/outbound-exchange.ts';
import { type ProxyHeaders, proxyHeaders } from './proxy.contract.ts';
import type { ProxyBody, ProxyCall, ProxyResponse, ProxyService } from './proxy.service.ts';

export interface ProxyApiDeps {
  limits: LimitsService;
  proxy: ProxyService;
  log: OperationLog & { findOperation: LogsService['findOperation'] };
}

/** Calls that the hub forwards to a provider (http-api.md 7). */
export function proxyApi(use: ProxyApiDeps): PublicRoute[] {
  return [
    {
      method: 'all',
      path: /^\/proxy(?:\/|$)/i,
      isHot: true,
      access: 'key',
      scopes: ['environment:proxy'],
      limitedKeys: byHeaders,
      takesBytes: true,
      handler: callProxy(use),
      audit: { action: 'proxy' },
      openapi: {
        path: '/proxy/*path',
        id: 'proxy',
        tag: 'Proxy',
        summary: 'Call the API of a provider',
        details:
          'What follows `/proxy` goes to the provider as it is, query included, with the credentials of the connection. ' +
          'Headers `Nango-Proxy-<Name>` are forwarded as `<Name>`; no others are.',
        params: z.object({ path: z.string() }),
        headers: proxyHeaders,
        responses: {},
        passesOn:
          'The response of the provider: its status, headers and body. Without a response 500 with message and code.',
        errors: [
          [404, 'unknown_provider_config'],
          [400, 'server_error'],
          [424, 'server_error'],
          'unknown_provider',
          'invalid_query_params',
          'invalid_request',
          'connection_refresh_backoff',
          'connection_refresh_exhausted',
          'refresh_token_external_error',
          'missing_connection_config',
          'base_url_override_disabled',
          'base_url_override_forbidden',
          'base_url_override_not_allowed',
          'unsupported_provider',
          'missing_api_url',
          'call_rate_reached',
          'call_limit_reached',
          'missing_provider',
          'unsupported_auth',
          'invalid_certificate_or_key_format',
        ],
        example: { path: '/proxy/v1/echo', headers: PRACTICE_HEADERS },
      },
    },
  ];
}

type IncomingCall = Pick<ApiRequest, 'body' | 'caller' | 'http' | 'response'>;

/**
 * Forwards one call. The provider's endpoint is everything after `/proxy`, byte for byte, with the query (http-api.md
 * 7). Rejects with errors that use the normal envelope; all other results are answered here.
 */
function callProxy(use: ProxyApiDeps): Handler {
  return (incoming) => passOn(use, incoming);
}

async function passOn(use: ProxyApiDeps, incoming: IncomingCall): Promise<undefined> {
  const { response } = incoming;
  // A provider would answer with the request as it came, the credentials of the connection included.
  if (incoming.http.method === 'TRACE')
    throw new HomeportError('invalid_request', 'The proxy does not forward TRACE. Use another method.');
  const headers = validateHeaders(proxyHeaders, incoming.http.headers);
  // Must come first: it listens for the end of the caller's connection, which may end while the log is opened.
  const call = toCall(incoming, headers);
  const id = headers['nango-activity-log-id'];
  const attached = id ? await attachOperation(use.log, id, incoming, headers) : undefined;
  const operation = attached ?? startOperation(use.log, incoming, headers);
  let message = openingMessage(incoming, headers);
  let tap: ProxyResponse['tap'];
  call.log = { operation, context: 'proxy' };
  call.onAttempt = (attempt) => {
    message = `${call.method} ${pathOf(attempt.request.url)}`;
  };
  const limited = {
    environmentId: incoming.caller.environment.id,
    subjects: [{ kind: 'key', id: String(incoming.caller.keyId) }],
    kind: ['GET', 'HEAD', 'OPTIONS'].includes(call.method) ? 'read' : 'write',
  } as const;
  call.admit = (host) => use.limits.admit({ ...limited, host, counts: 'check' });
  try {
    const admitted = use.limits.admit({ ...limited, method: call.method });
    if (admitted) await admitted;
    const body = await use.proxy.call(call);
    ({ tap } = body);
    await relayResponse(call.method, body, response);
    tap?.end();
    if (!attached)
      operation.finish(body.status < 400 ? 'success' : 'failed', { message, meta: { status: body.status } });
  } catch (error) {
    tap?.end(true);
    const failure = describeFailure(use, error);
    const isGone = call.signal?.aborted === true;
    if (!attached) operation.finish(isGone ? 'cancelled' : 'failed', { message, error: failure.logged });
    else if (!isGone && error instanceof OutboundError)
      operation.log({ level: 'error', context: 'proxy', message: error.message, error: failure.logged });
    if (isGone) return;
    if (!failure.status) throw namedForCallers(error);
    // A part of the response is already sent, so only closing the connection can show that it is incomplete.
    if (response.headersSent) response.destroy();
    else writeFailure(response, failure.status, { ...failure.response, method: call.method });
  }
}

function writeFailure(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function toCall({ body, caller, http, response }: IncomingCall, headers: ProxyHeaders): ProxyCall {
  const aborter = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) aborter.abort(new Error('The caller has gone.'));
  });
  return {
    target: {
      environmentId: caller.environment.id,
      integrationKey: headers['provider-config-key'],
      connectionId: headers['connection-id'],
    },
    method: http.method,
    endpoint: http.originalUrl.replace(/^\/proxy\/?/i, '/'),
    headers: forwardedHeaders(http.headers),
    ...proxyRequestBody(http, body),
    retries: headers.retries,
    ...(headers['retry-on'] ? { retryOn: headers['retry-on'] } : {}),
    ...(headers['base-url-override'] ? { baseUrlOverride: headers['base-url-override'] } : {}),
    ...(headers['homeport-follows-link'] ? { followsLink: true } : {}),
    ...(headers.decompress === undefined ? {} : { decompress: headers.decompress }),
    ...(headers['forward-headers-on-redirect'] === undefined
      ? {}
      : { forwardHeadersOnRedirect: headers['forward-headers-on-redirect'] }),
    ...(grants(caller.scopes, 'environment:connections:read_credentials') ? {} : { hidesCredentials: true }),
    signal: aborter.signal,
  };
}

/**
 * Resolves to the operation that the caller names; undefined unless it is one of the called connection in the caller's
 * environment, so that no key writes into the log of another connection.
 */
async function attachOperation(
  log: ProxyApiDeps['log'],
  id: string,
  { caller }: IncomingCall,
  headers: ProxyHeaders,
): Promise<Operation | undefined> {
  const found = await log.findOperation(caller.environment.id, id);
  const isOfConnection =
    found?.integrationName === headers['provider-config-key'] && found.connectionName === headers['connection-id'];
  return isOfConnection ? log.attach(id) : undefined;
}

function startOperation(log: ProxyApiDeps['log'], incoming: IncomingCall, headers: ProxyHeaders): Operation {
  return log.start({
    environmentId: incoming.caller.environment.id,
    type: 'proxy',
    action: 'call',
    message: openingMessage(incoming, headers),
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    trigger: 'api',
  });
}

/** Does not contain the path: which parts of it are secret is known only after the connection is read. */
function openingMessage({ http }: IncomingCall, headers: ProxyHeaders): string {
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
function forwardedHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('nango-proxy-') && value !== undefined)
      forwarded[name.slice('nango-proxy-'.length)] = [value].flat().join(', ');
  }
  return forwarded;
}

interface Failure {
  /** Undefined for refusals, which use the normal error envelope. */
  status?: number;
  response?: { message: string; code: string };
  logged: { message: string; type?: string };
}

/**
 * The response to a provider's failure, without the envelope (http-api.md 7): 504 when the provider stalls, 502 when its
 * response is broken or incomplete, 500 when it does not answer.
 */
function describeFailure(use: ProxyApiDeps, error: unknown): Failure {
  const noResponse = use.proxy.networkFailure(error);
  const found = noResponse ?? (error instanceof OutboundError ? error : undefined);
  if (found) {
    const { code, message } = found;
    const status = code === 'ETIMEDOUT' ? 504 : noResponse && code !== 'ERR_BAD_RESPONSE' ? 500 : 502;
    return {
      status,
      response: { message, code },
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

/**
 * The caller's body as received: bytes with their content type. A JSON object for which the caller names a form is
 * encoded as that form (http-api.md 7).
 */
function proxyRequestBody(request: IncomingMessage, body: unknown): { body?: ProxyBody } {
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  const form = readAsForm(request, body);
  if (form !== undefined) return { body: { kind: 'form', text: form } };
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

function readAsForm(request: IncomingMessage, bytes: Buffer): string | undefined {
  const { 'content-type': sent, 'nango-proxy-content-type': wanted } = request.headers;
  const isWanted = typeof wanted === 'string' && /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(wanted);
  if (!isWanted || !/^application\/json\s*(;|$)/i.test(sent ?? '')) return undefined;
  if (Array.isArray(parseBody(bytes, sent))) return undefined;
  const text = withoutMark(textOfBody(bytes, sent ?? ''));
  return qs.stringify(text === '' ? {} : parseJsonTexts(text), { arrayFormat: 'brackets', format: 'RFC1738' });
}

/**
 * Responses up to this size are sent in one piece, which is much cheaper than a stream. Larger answers are never
 * buffered.
 */
const SENT_WHOLE_BYTES = 256 * 1024;

/** Responses up to this size are written together with their headers. */
const SENT_WITH_HEADERS_BYTES = 16 * 1024;

/**
 * Sends the provider's response to the caller. Waits for the first part of the body before writing anything, so that an
 * early failure can still be reported. Rejects with OutboundError when the provider breaks off; the response is then
 * unsent or, if already started, incomplete.
 */
async function relayResponse(method: string, body: ProxyResponse, response: ServerResponse): Promise<void> {
  const length = body.headers['content-length'];
  if (method === 'HEAD' || body.status === 204 || body.status === 304) {
    void discardBody(body.body);
    begin(body, response, method === 'HEAD' ? length : undefined);
    response.end();
  } else if (Number(length ?? Number.NaN) <= SENT_WHOLE_BYTES) {
    const bytes = await readAnnounced(body.body);
    body.tap?.take(bytes);
    begin(body, response, String(bytes.length));
    // Latin-1 has one byte per character. As a string, a small body is sent together with the headers in one write.
    if (bytes.length > SENT_WITH_HEADERS_BYTES) response.end(bytes);
    else response.end(bytes.toString('latin1'), 'latin1');
  } else {
    await stream(body, response);
  }
}

/** Writes all headers at once, which costs a fraction of setting them one by one. */
function begin(body: ProxyResponse, response: ServerResponse, length?: string | string[]): void {
  if (body.status > 999 || body.status < 200)
    throw new OutboundError('ERR_BAD_RESPONSE', `The provider answered with the status ${body.status}`);
  const headers: Array<string | string[]> = [];
  for (const name in body.headers) {
    const value = body.headers[name];
    if (value === undefined || KEPT_BACK.has(name) || name.startsWith('access-control-')) continue;
    headers.push(name, value);
  }
  if (length !== undefined) headers.push('Content-Length', length);
  try {
    response.writeHead(body.status, headers as string[]);
  } catch (error) {
    // A header is invalid. The error response must not contain the headers that were already set.
    for (const name in body.headers) response.removeHeader(name);
    response.statusMessage = '';
    throw error;
  }
}

/**
 * Hop-by-hop headers, those that the hub itself sets, and those by which a provider could act on a browser at the hub's
 * own origin (http-api.md 7).
 */
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
  'clear-site-data',
  'refresh',
  'service-worker-allowed',
]);

/** Streams at the caller's reading speed. When the caller disconnects, the signal of the call ends the body. */
function stream(upstream: ProxyResponse, response: ServerResponse): Promise<void> {
  const { body, tap } = upstream;
  const resume = (): unknown => body.resume();
  let hasBegun = false;
  return new Promise((resolve, reject) => {
    const take = (write: () => void, length?: string): void => {
      try {
        if (!hasBegun) begin(upstream, response, length);
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
      take(() => response.end(), '0');
      resolve();
    });
    body.on('data', (chunk: Buffer) => {
      take(() => void (response.write(chunk) || body.pause()));
      tap?.take(chunk);
    });
  });
}
