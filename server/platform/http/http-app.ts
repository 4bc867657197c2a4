import { parse } from 'node:querystring';
import type { Express, Request, Response } from 'express';
import express from 'express';
import qs from 'qs';
import type { ConnectSession } from '../../authorization/connect-session.ts';
import type { AuditService } from '../../environments/audit.service.ts';
import type { Caller } from '../../environments/environment.service.ts';
import type { Clock } from '../lib/clock.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Ids } from '../lib/ids.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { Logger } from '../lib/logger.ts';
import {
  announcesBody,
  closeUnread,
  hasBodyOver,
  hasUnreadBody,
  LARGE_BODY_BYTES,
  readRequestBody,
  SMALL_BODY_BYTES,
} from './body-reader.ts';
import { hasAnswer } from './kept-answers.ts';
import { authenticateKey, authenticateSession, holdsSessionToken } from './middleware/authenticate.ts';
import { checkConnectionLimits, type FindTags } from './middleware/connection-limits.ts';
import { requireJson } from './middleware/content-type.ts';
import { openToOrigins } from './middleware/cors.ts';
import { errorTranslator } from './middleware/error-translator.ts';
import { checkHost } from './middleware/host-guard.ts';
import { publicRateLimit, RateLimit } from './middleware/rate-limit.ts';
import { checkScopes } from './middleware/scopes.ts';
import { parseBody } from './parse-body.ts';
import { type Access, type ApiRequest, announceSuccessor, type Reply, type Route, type RouteAudit } from './route.ts';

interface HttpAppOptions {
  routes: readonly Route[];
  /** Dashboard pages and other handlers that write their own responses; mounted before the JSON 404. */
  pages: express.RequestHandler[];
  authenticate(secretKey: string): Promise<Caller | undefined>;
  findTags: FindTags;
  /** Resolves to the session of a connect-session token. */
  findSession(token: string): Promise<ConnectSession | undefined>;
  /** Checks the session cookie and, for changes, origin and CSRF header. Throws when the request is refused. */
  authorizeDashboard(request: Request): Promise<void>;
  /** Receives every call made with a key. */
  audit: Pick<AuditService, 'record'> & {
    keyUse: Pick<AuditService['keyUse'], 'called' | 'refused' | 'readCredentials' | 'proxied'>;
  };
  /** Host of the public address. A function, because a setting may change it. */
  publicHost: () => string | undefined;
  logger: Logger;
  ids: Ids;
  clock: Clock;
}

/** The Express app: the request pipeline of http-api.md 1.1 in its order, then the routes of the table. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', parseQuery);

  app.use(admitRequest(options));
  const use = { ...options, rateLimit: new RateLimit(options.clock) };
  for (const route of options.routes) {
    app[route.method](route.path, (request, response) => serve(use, route, request, response));
    const { access, answerGet, path } = route;
    if (!answerGet) continue;
    const check: Route = { method: 'get', path, access, handler: answerGet };
    app.get(path, (request, response) => serve(use, check, request, response));
  }
  for (const page of options.pages) app.use(page);
  app.use((request) => {
    throw new HomeportError('not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  app.use(errorTranslator(options));
  return app;
}

/** The checks before every route and page, in one middleware: each layer of Express costs time. */
function admitRequest({ clock, publicHost }: HttpAppOptions): express.RequestHandler {
  const limitPublicCalls = publicRateLimit(clock);
  return (request, response, next) => {
    const isLocal = checkHost(request, publicHost());
    if (!isLocal) limitPublicCalls(request, response);
    // Pages and preflights do not read a body. When a longer one may follow, the connection is closed after the response.
    if (!takesBody(request) && hasUnreadBody(request)) closeUnread(request, response);
    if (openToOrigins(request, response)) return;
    aliasVersion(request);
    next();
  };
}

/** Whether a large body is expected. GET, HEAD and OPTIONS have small bodies only, for every caller. */
function takesBody({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

interface Identity {
  caller?: Caller;
  session?: ConnectSession;
}

type ServeDeps = HttpAppOptions & { rateLimit: RateLimit };

async function serve(use: ServeDeps, route: Route, http: Request, response: Response): Promise<void> {
  if (route.access !== 'dashboard') requireJson(http);
  const { caller, session } = announcesBody(http)
    ? await identifyAndRead(use, route, http, response)
    : await identify(use, route, http, response);
  const request: ApiRequest = {
    http,
    response,
    params: http.params,
    query: http.query,
    body: http.body,
    session,
    allowed: caller?.allowed ?? null,
    get caller(): Caller {
      if (!caller) throw new Error(`The route ${route.path} has no caller.`);
      return caller;
    },
    get environment() {
      return session?.environment ?? this.caller.environment;
    },
  };
  if (route.successor) announceSuccessor(response, fillPath(route.successor, http.params));
  const reply = await handle(use, route, request, caller);
  if (caller && route.audit) await noteUse(use, route.audit, request);
  send(response, reply);
}

async function handle(use: ServeDeps, route: Route, request: ApiRequest, caller: Caller | undefined): Promise<Reply> {
  try {
    if (caller && caller.allowed !== null) await checkConnectionLimits(caller.allowed, route, request, use.findTags);
    return await route.handler(request);
  } catch (error) {
    // The handler may have found out only late which connection the call needs.
    if (caller) noteRefusal(use, { caller, route, http: request.http, error });
    throw error;
  }
}

/** Records a call that the scopes of the key do not cover. Other failures are not recorded. */
function noteRefusal(
  { audit }: ServeDeps,
  { caller, error, http, route }: { caller: Caller; error: unknown; http: Request; route: Route },
): void {
  if (!(error instanceof HomeportError) || error.code !== 'forbidden') return;
  const scopes = error.message.match(/environment:[\w:*]+/g)?.join(' or ') ?? error.message;
  audit.keyUse.refused(caller, scopes, `${http.method} ${nameOf(route.path)}`);
}

/** Records a call after it succeeded. Counters are updated without waiting. */
async function noteUse(
  { audit }: ServeDeps,
  { action, concerns, subject }: RouteAudit,
  request: ApiRequest,
): Promise<void> {
  if (concerns && !concerns(request)) return;
  const { caller } = request;
  const { integrationKey, connectionId } = targetOf(request, action === 'proxy');
  if (action === 'credentials') audit.keyUse.readCredentials(caller, integrationKey, connectionId);
  else if (action === 'proxy') audit.keyUse.proxied(caller, integrationKey, connectionId);
  else
    await audit.record({
      action,
      environmentId: caller.environment.id,
      keyId: caller.keyId,
      integrationKey,
      connectionId,
      subject: subject?.(request),
    });
}

/** Returns the integration and the connection of a call, from its path, query, headers or body. The query of a proxied call is for the provider. */
function targetOf(
  { body, http, params, query }: ApiRequest,
  isProxied: boolean,
): { integrationKey: string | undefined; connectionId: string | undefined } {
  const named = (name: string): unknown =>
    isProxied ? undefined : ((query as Record<string, unknown>)[name] ?? (isJsonObject(body) ? body[name] : undefined));
  const textOf = (...values: unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '')?.slice(0, 255);
  return {
    integrationKey: textOf(params['uniqueKey'], named('provider_config_key'), http.headers['provider-config-key']),
    connectionId: textOf(params['connectionId'], named('connection_id'), http.headers['connection-id']),
  };
}

/**
 * Identifies the caller before the body is read, because the caller decides how large it may be. A small body is still
 * read before a refusal is answered: errors in the body are reported first (http-api.md 1.1).
 */
async function identifyAndRead(use: ServeDeps, route: Route, http: Request, response: Response): Promise<Identity> {
  const identified = identify(use, route, http, response);
  const refusal: unknown = await identified.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined && hasBodyOver(SMALL_BODY_BYTES, http)) throw refusal;
  const isKnown = refusal === undefined && (route.admit !== undefined || KNOWS_OWNER.has(route.access));
  try {
    await readBody(route, isKnown && takesBody(http), http, response);
  } catch (error) {
    const isLarge = error instanceof HomeportError && error.code === 'request_too_large';
    throw refusal !== undefined && isLarge ? refusal : error;
  }
  return identified;
}

/** Access kinds of the hub's owner, as opposed to an end user or another program. */
const KNOWS_OWNER: ReadonlySet<Access> = new Set(['key', 'key-or-session', 'dashboard']);

/** Webhooks and the proxy get bytes: signatures are computed over them, and the proxy passes them on unchanged. */
async function readBody(route: Route, mayBeLarge: boolean, http: Request, response: Response): Promise<void> {
  // The caller wants the provider to get the encoded bytes, so they are not decoded here.
  if (route.takesBytes && http.headers['nango-proxy-content-encoding'] !== undefined)
    delete http.headers['content-encoding'];
  const limitBytes = mayBeLarge ? (route.bodyLimitBytes ?? LARGE_BODY_BYTES) : SMALL_BODY_BYTES;
  const bytes = await readRequestBody(http, response, { limitBytes, inflates: mayBeLarge });
  http.body = route.takesBytes ? bytes : parseBody(bytes, http.headers['content-type']);
}

/** Checks authentication, rate limit and scopes, in this order (http-api.md 1.1). */
async function identify(use: ServeDeps, route: Route, http: Request, response: Response): Promise<Identity> {
  if (route.access === 'public') {
    await route.admit?.(http);
    return {};
  }
  if (route.access === 'dashboard') {
    await use.authorizeDashboard(http);
    return {};
  }
  const { authorization } = http.headers;
  if (route.access === 'session' || (route.access === 'key-or-session' && holdsSessionToken(authorization))) {
    const session = await authenticateSession(authorization, (token) => use.findSession(token));
    use.rateLimit.take(session.environment, http, response);
    return { session };
  }
  const caller = await authenticateKey(authorization, (key) => use.authenticate(key));
  use.rateLimit.take(caller.environment, http, response);
  use.audit.keyUse.called(caller, http.socket);
  try {
    checkScopes(caller.scopes, route.scopes ?? []);
  } catch (error) {
    noteRefusal(use, { caller, route, http, error });
    throw error;
  }
  return { caller };
}

function send(response: Response, reply: Reply): void {
  if (!reply) return;
  if (reply.status === 204) {
    response.writeHead(204, reply.headers).end();
    return;
  }
  if (hasAnswer(response.req.headers['if-none-match'], reply.headers?.['ETag'])) {
    response.writeHead(304, reply.headers).end();
    return;
  }
  const text = reply.bytes ?? reply.text ?? JSON.stringify(reply.body ?? null);
  response.writeHead(reply.status, {
    ...reply.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function fillPath(path: string, params: Request['params']): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** The path as the table writes it. The real path may contain private data of the caller. */
function nameOf(path: Route['path']): string {
  return typeof path === 'string' ? path : path.source.replace(/^\^|\(.*/g, '').replaceAll('\\', '');
}

/**
 * Parses a query in qs syntax (http-api.md 1.1): `tags[a]=b` becomes an object, repeated keys a list. Without a bracket
 * Node's own parser gives the same result in a fraction of the time.
 */
function parseQuery(text: string): Record<string, unknown> {
  if (!/\[|%5b/i.test(text)) return { ...parse(text) };
  let namesPrototype = false;
  const query = qs.parse(text, {
    // More than a request line can hold, so that no list becomes an object and no parameter is dropped.
    arrayLimit: 10_000,
    depth: 5,
    parameterLimit: 10_000,
    // Otherwise a filter such as `tags[constructor]=x` would be dropped in silence.
    allowPrototypes: true,
    decoder(part, decode, charset, type) {
      const decoded: unknown = decode(part, undefined, charset);
      if (type === 'key' && /(^|\[)__proto__(\]|\[|$)/.test(String(decoded))) namesPrototype = true;
      return decoded;
    },
  });
  // The parser drops such a parameter in any case. Routes refuse this name, as every name that they do not know.
  if (namesPrototype) Object.defineProperty(query, '__proto__', { value: '', enumerable: true });
  return query;
}

const VERSIONED = /^\/v1(?=\/connections?(\/|\?|$))/i;

/**
 * An example in the specification writes `/v1` before these paths. With the headers that name a connection, the request
 * is for a function's own endpoint instead (http-api.md 5).
 */
function aliasVersion(request: Request): void {
  const namesConnection =
    request.headers['provider-config-key'] !== undefined && request.headers['connection-id'] !== undefined;
  if (!namesConnection) request.url = request.url.replace(VERSIONED, '');
}
