import express, { type Express, type Request, type Response } from 'express';
import type { Clock } from '../lib/clock.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { ConnectSession } from '../services/connect-sessions/connect-session.ts';
import type { Caller } from '../services/environment/environment-service.ts';
import { authenticateKey, authenticateSession, holdsSessionToken } from './middleware/authenticate.ts';
import { requireJson } from './middleware/content-type.ts';
import { cors } from './middleware/cors.ts';
import { errorTranslator } from './middleware/error-translator.ts';
import { hostGuard } from './middleware/host-guard.ts';
import { parseQuery } from './middleware/parse-query.ts';
import { publicRateLimit, RateLimit } from './middleware/rate-limit.ts';
import { checkScopes } from './middleware/scopes.ts';
import { versionAlias } from './middleware/version-alias.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

export interface HttpAppOptions {
  routes: readonly Route[];
  /** Dashboard pages and other handlers that write their own responses; mounted before the JSON 404. */
  pages: express.RequestHandler[];
  authenticate(secretKey: string): Promise<Caller | undefined>;
  /** The session of a connect-session token. */
  findSession(token: string): Promise<ConnectSession | undefined>;
  /** Checks the session cookie and, for changes, origin and CSRF header; throws when the request may not pass. */
  authorizeDashboard(request: Request): Promise<void>;
  /** Host of the public address; a setting may change it. */
  publicHost: () => string | undefined;
  logger: Logger;
  ids: Ids;
  clock: Clock;
}

/** Largest body taken (http-api.md 1.1). */
const BODY_LIMIT = '75mb';

/** The Express app: the request pipeline of http-api.md 1.1, in its order, then the routes of the table. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', parseQuery);

  app.use(hostGuard({ publicHost: options.publicHost }));
  app.use(publicRateLimit(options));
  app.use(cors);
  app.use(versionAlias);
  app.use(parseBody());
  const rateLimit = new RateLimit(options.clock);
  for (const route of options.routes) {
    const open = route.access === 'dashboard' ? [] : [requireJson];
    app[route.method](route.path, ...open, (request, response) =>
      serve({ ...options, rateLimit }, route, request, response),
    );
  }
  for (const page of options.pages) app.use(page);
  app.use((request) => {
    throw new HomeportError('not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  app.use(errorTranslator(options));
  return app;
}

/**
 * Bodies by content type. The proxy takes every body as bytes: it passes them on unread. So do webhooks: signatures are
 * over the bytes.
 */
function parseBody(): express.RequestHandler {
  const json = express.json({ limit: BODY_LIMIT, strict: true });
  const form = express.urlencoded({ limit: BODY_LIMIT, extended: true });
  const bytes = express.raw({ limit: BODY_LIMIT, type: () => true });
  return (request, response, next) => {
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
      next();
    } else if (/^\/proxy(\/|$)/i.test(request.path)) {
      // The provider shall get the encoded bytes, says the caller: nothing may be decoded on the way.
      if (request.headers['nango-proxy-content-encoding'] !== undefined) delete request.headers['content-encoding'];
      bytes(request, response, next);
    } else if (/^\/webhook\//i.test(request.path)) {
      bytes(request, response, next);
    } else {
      json(request, response, (error) => (error ? next(error) : form(request, response, next)));
    }
  };
}

interface Identity {
  caller?: Caller;
  session?: ConnectSession;
}

type ServeOptions = HttpAppOptions & { rateLimit: RateLimit };

async function serve(options: ServeOptions, route: Route, http: Request, response: Response): Promise<void> {
  const { caller, session } = await identify(options, route, http, response);
  const request: ApiRequest = {
    http,
    response,
    params: http.params,
    query: http.query,
    body: http.body,
    session,
    get caller(): Caller {
      if (!caller) throw new Error(`The route ${route.path} has no caller.`);
      return caller;
    },
    get environment() {
      return session?.environment ?? this.caller.environment;
    },
  };
  if (route.successor) announceSuccessor(response, route.successor, http.params);
  send(response, await route.handler(request));
}

/** Authentication, rate limit, scopes: in this order (http-api.md 1.1). */
async function identify(options: ServeOptions, route: Route, http: Request, response: Response): Promise<Identity> {
  if (route.access === 'public') return {};
  if (route.access === 'dashboard') {
    await options.authorizeDashboard(http);
    return {};
  }
  const { authorization } = http.headers;
  if (route.access === 'session' || (route.access === 'key-or-session' && holdsSessionToken(authorization))) {
    const session = await authenticateSession(authorization, (token) => options.findSession(token));
    options.rateLimit.take(session.environment, http, response);
    return { session };
  }
  const caller = await authenticateKey(authorization, (key) => options.authenticate(key));
  options.rateLimit.take(caller.environment, http, response);
  checkScopes(caller.scopes, route.scopes ?? []);
  return { caller };
}

function send(response: Response, reply: Reply): void {
  if (!reply) return;
  if (reply.status === 204) {
    response.writeHead(204, reply.headers).end();
    return;
  }
  const text = reply.text ?? JSON.stringify(reply.body ?? null);
  response.writeHead(reply.status, {
    ...reply.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function announceSuccessor(response: Response, successor: string, params: Request['params']): void {
  const path = successor.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  // RFC 9745: the moment since when the route is deprecated, here the specification's removal date.
  response.setHeader('Deprecation', '@1768867200');
  response.setHeader('Link', `<${path}>; rel="successor-version"`);
}
