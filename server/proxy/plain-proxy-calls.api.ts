import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AuditService } from '../environments/audit.service.ts';
import type { Caller, EnvironmentService } from '../environments/environment.service.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import { announcesBody } from '../platform/http/body-reader.ts';
import { OPEN_HEADERS } from '../platform/http/middleware/cors.ts';
import { errorWriter } from '../platform/http/middleware/error-translator.ts';
import { hasOneHost, isLocalRequest } from '../platform/http/middleware/host-guard.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { type CallProxyDeps, passOn } from './call-proxy.api.ts';

interface PlainCallDeps extends CallProxyDeps {
  environments: Pick<EnvironmentService, 'peekCaller'>;
  audit: { keyUse: Pick<AuditService['keyUse'], 'called' | 'proxied'> };
  ids: Ids;
  logger: Logger;
}

const BEARER = 'Bearer ';

/**
 * Answers proxy calls without a body before the layers of the app, when the key is in memory and has no limits.
 * Answers, log and counts are the same as those of the route. Every other call, also one that is refused, goes to
 * `next`.
 */
export function answerPlainCalls(use: PlainCallDeps, next: RequestListener): RequestListener {
  const writeError = errorWriter(use);
  return (request, response) => {
    const caller = isPlain(request) ? callerOf(use, request) : undefined;
    if (caller) respond(use, caller, request, response).catch((error) => fail(writeError, error, request, response));
    else next(request, response);
  };
}

function isPlain(request: IncomingMessage): boolean {
  const { headers, method, url = '' } = request;
  return (
    method === 'GET' &&
    url.startsWith('/proxy/') &&
    headers['content-type'] === undefined &&
    !announcesBody(request) &&
    hasOneHost(request) &&
    isLocalRequest(request)
  );
}

function callerOf(use: PlainCallDeps, { headers: { authorization } }: IncomingMessage): Caller | undefined {
  if (!authorization?.startsWith(BEARER)) return undefined;
  const caller = use.environments.peekCaller(authorization.slice(BEARER.length));
  const isFree = caller && caller.environment.settings.rateLimitPerMinute === null && caller.allowed === null;
  return isFree && grants(caller.scopes, 'environment:proxy') ? caller : undefined;
}

async function respond(
  use: PlainCallDeps,
  caller: Caller,
  http: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { keyUse } = use.audit;
  keyUse.called(caller, http.socket);
  await passOn(use, { http, response, address: http.url ?? '', body: undefined, caller, openHeaders: OPEN_HEADERS });
  keyUse.proxied(caller, textOf(http, 'provider-config-key'), textOf(http, 'connection-id'));
}

const textOf = ({ headers }: IncomingMessage, name: string): string | undefined => headers[name]?.toString();

function fail(
  write: ReturnType<typeof errorWriter>,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!response.headersSent)
    for (let at = 0; at < OPEN_HEADERS.length; at += 2)
      response.setHeader(OPEN_HEADERS[at] ?? '', OPEN_HEADERS[at + 1] ?? '');
  write(error, request, response);
}
