import type { RequestListener } from 'node:http';
import { parse } from 'node:querystring';
import type { Express, Request, Response } from 'express';
import express from 'express';
import { LRUCache } from 'lru-cache';
import qs from 'qs';
import type { Caller, Environment } from '../../environments/environment.service.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { Admission, Identity } from './admission.ts';
import {
  announcesBody,
  expectsLargeBody,
  hasBodyOver,
  LARGE_BODY_BYTES,
  readRequestBody,
  SMALL_BODY_BYTES,
} from './body-reader.ts';
import { firstSegment } from './cors.ts';
import { errorWriter } from './error-writer.ts';
import { parseBody } from './parse-body.ts';
import { type Access, type ApiRequest, announceSuccessor, type Reply, type Route } from './route.ts';
import type { RunningRequests } from './running-requests.ts';

/** Routes below a path that are loaded at the first request for one of them; after all others. */
export interface LaterRoutes {
  /** With a slash at its end, in lower case. */
  below: string;
  load(): Promise<readonly Route[]>;
}

interface HttpAppOptions {
  admission: Admission;
  routes: readonly Route[];
  laterRoutes?: LaterRoutes;
  /** Dashboard pages and other handlers that write their own responses; mounted before the JSON 404. */
  pages: express.RequestHandler[];
  logger: Logger;
  ids: Ids;
  running: RunningRequests;
}

/** The request pipeline of http-api.md 1.1 in its order, for the routes of the table and the pages. */
export function createHttpApp(options: HttpAppOptions): RequestListener {
  const { admission, routes, logger, ids, running } = options;
  const writeError = errorWriter({ logger, ids });
  const end = (): void => running.end();
  const serve: Serve = (...call) => {
    running.begin();
    let served: MaybePromise<void>;
    try {
      served = serveNow(admission, ...call);
    } catch (error) {
      end();
      throw error;
    }
    if (served instanceof Promise) return served.finally(end);
    end();
    return undefined;
  };
  const app = createExpressApp(options, serve);
  app.use(((error, request, response, _next) => writeError(error, request, response)) as express.ErrorRequestHandler);
  const findHot = hotRoutes(routes);
  return (request, response) => {
    const route = findHot(request as Request);
    if (!route) return app(request, response);
    const fail = (error: unknown): void => writeError(error, request, response);
    try {
      if (admission.enter(request as Request, response as Response)) return;
      const served = serve(route, request as Request, response as Response);
      if (served instanceof Promise) served.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** Answers at once when everything that the answer needs is in memory. */
type Serve = (route: Route, http: Request, response: Response) => MaybePromise<void>;

function createExpressApp({ admission, laterRoutes, pages, routes }: HttpAppOptions, serve: Serve): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', parseQuery);
  app.use((request, response, next) => {
    if (admission.enter(request, response)) return;
    aliasVersion(request);
    next();
  });
  mount(app, routes, serve);
  if (laterRoutes) app.use(mountLater(laterRoutes, serve));
  for (const page of pages) app.use(page);
  app.use((request) => {
    throw new HomeportError('not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  return app;
}

function mount(router: express.Router, routes: readonly Route[], serve: Serve): void {
  for (const route of routes) {
    router[route.method](route.path, (request, response) => serve(route, request, response));
    const { access, answerGet, path } = route;
    if (!answerGet) continue;
    const check: Route = { method: 'get', path, access, handler: answerGet };
    router.get(path, (request, response) => serve(check, request, response));
  }
}

function mountLater({ below, load }: LaterRoutes, serve: Serve): express.RequestHandler {
  let loading: Promise<express.Router> | undefined;
  const loadRouter = async (): Promise<express.Router> => {
    const router = express.Router();
    mount(router, await load(), serve);
    return router;
  };
  return (request, response, next) => {
    if (!request.path.toLowerCase().startsWith(below)) return next();
    loading ??= loadRouter().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading.then((router) => router(request, response, next));
  };
}

/** Different queries of which the parsed form is kept, and their length: most callers ask with the same few. */
const MAX_KEPT_QUERIES = 500;
const MAX_KEPT_LENGTH = 200;

/**
 * Returns a function that finds the hot route of a request in its plain spelling, and gives the request what Express
 * would give it. Express finds the same routes in every spelling, and takes half the time of a short request for it.
 */
function hotRoutes(routes: readonly Route[]): (request: Request) => Route | undefined {
  const hot = routes
    .filter(({ isHot }) => isHot)
    .map((route) => ({ route, method: route.method.toUpperCase(), match: plainMatch(route.path) }));
  const queries = new LRUCache<string, Record<string, unknown>>({ max: MAX_KEPT_QUERIES });
  const queryOf = (text: string): Record<string, unknown> => {
    const known = queries.get(text);
    if (known) return known;
    const query = Object.freeze(parseQuery(text));
    if (text.length <= MAX_KEPT_LENGTH) queries.set(text, query);
    return query;
  };
  return (request) => {
    const { method, url } = request;
    // Express reads such a path in another way.
    if (/[\s#]/.test(url)) return undefined;
    const at = url.indexOf('?');
    const path = at === -1 ? url : url.slice(0, at);
    for (const { route, method: own, match } of hot) {
      if (own !== method && own !== 'ALL') continue;
      const params = match(path);
      if (!params) continue;
      const known: { -readonly [Name in keyof Request]: Request[Name] } = request;
      known.originalUrl = url;
      known.params = params;
      known.path = path;
      known.query = queryOf(at === -1 ? '' : url.slice(at + 1)) as Request['query'];
      return route;
    }
    return undefined;
  };
}

/** Returns the parameters of a path without percent escapes, in the letter case of the table. */
function plainMatch(path: Route['path']): (path: string) => Record<string, string> | undefined {
  if (typeof path !== 'string') return (given) => (path.test(given) ? {} : undefined);
  if (!path.includes(':')) return (given) => (given === path ? {} : undefined);
  const pattern = new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[\\w.~-]+)')}$`);
  return (given) => {
    const found = pattern.exec(given);
    return found ? { ...found.groups } : undefined;
  };
}

/** One call, as its handler sees it. */
class Call implements ApiRequest {
  readonly http: Request;
  readonly response: Response;
  readonly #route: Route;
  readonly #identity: Identity;

  constructor(route: Route, identity: Identity, http: Request, response: Response) {
    this.#route = route;
    this.#identity = identity;
    this.http = http;
    this.response = response;
  }

  get params(): ApiRequest['params'] {
    return this.http.params;
  }

  get query(): unknown {
    return this.http.query;
  }

  get body(): unknown {
    return this.http.body;
  }

  get session(): ApiRequest['session'] {
    return this.#identity.session;
  }

  get allowed(): ApiRequest['allowed'] {
    return this.#identity.caller?.allowed ?? null;
  }

  get caller(): Caller {
    const { caller } = this.#identity;
    if (!caller) throw new Error(`The route ${this.#route.path} has no caller.`);
    return caller;
  }

  get environment(): Environment {
    return this.#identity.session?.environment ?? this.caller.environment;
  }
}

function serveNow(admission: Admission, route: Route, http: Request, response: Response): MaybePromise<void> {
  if (route.access !== 'dashboard' && !route.takesStream) requireJson(http);
  const identified =
    announcesBody(http) && !route.takesStream
      ? identifyAndRead(admission, route, http, response)
      : admission.identify(route, http, response);
  return andThen(identified, (identity) => {
    if (route.successor) announceSuccessor(response, fillPath(route.successor, http.params));
    const request = new Call(route, identity, http, response);
    return andThen(admission.perform(route, request, identity.caller), (reply) => send(response, reply));
  });
}

/** First path segments under which only JSON is accepted, also for GET (http-api.md 1.1, step 3). */
const JSON_ONLY = new Set([
  'providers',
  'integrations',
  'connection',
  'connections',
  'connect',
  'environments',
  'environment',
  'environment-variables',
  'sync',
  'records',
  'scripts',
  'functions',
  'action',
  'mcp',
  'pairings',
  'session',
  'sessions',
  'v1',
  'cli',
  'oauth',
  'auth',
  'api-auth',
]);

function requireJson(request: Request): void {
  const type = request.headers['content-type'];
  if (type && !type.toLowerCase().startsWith('application/json') && JSON_ONLY.has(firstSegment(request.path)))
    throw new HomeportError(
      'invalid_content_type',
      `Send application/json; "${type.slice(0, 100)}" is not accepted here.`,
    );
}

/**
 * Identifies the caller before the body is read, because the caller decides how large it may be. A small body is still
 * read before a refusal is answered: errors in the body are reported first (http-api.md 1.1).
 */
async function identifyAndRead(
  admission: Admission,
  route: Route,
  http: Request,
  response: Response,
): Promise<Identity> {
  const identified = (async () => admission.identify(route, http, response))();
  const refusal: unknown = await identified.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined && hasBodyOver(SMALL_BODY_BYTES, http)) throw refusal;
  const isKnown = refusal === undefined && (route.admit !== undefined || KNOWS_OWNER.has(route.access));
  try {
    await readBody(route, isKnown && expectsLargeBody(http), http, response);
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

const JSON_HEADERS = [...['Content-Type', 'application/json; charset=utf-8'], ...['X-Content-Type-Options', 'nosniff']];

function send(response: Response, reply: Reply): void {
  if (!reply) return;
  if (reply.status === 204) {
    response.writeHead(204, reply.headers).end();
    return;
  }
  if (isSame(response.req.headers['if-none-match'], reply.headers?.['ETag'])) {
    response.writeHead(304, reply.headers).end();
    return;
  }
  const text = reply.bytes ?? reply.text ?? JSON.stringify(reply.body ?? null);
  // As a list: setting each header costs more.
  response.writeHead(reply.status, [
    ...Object.entries(reply.headers ?? {}).flat(),
    ...JSON_HEADERS,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
}

/** Whether the caller has the response already (RFC 9110 13.1.2). */
function isSame(ifNoneMatch: string | undefined, etag: unknown): boolean {
  if (ifNoneMatch === undefined || typeof etag !== 'string') return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

function fillPath(path: string, params: Request['params']): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
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
