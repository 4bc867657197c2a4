import express, { type Express, type Request, type Response } from 'express';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { Caller } from '../services/environment/environment-service.ts';
import { authenticateKey } from './middleware/authenticate.ts';
import { requireJson } from './middleware/content-type.ts';
import { cors } from './middleware/cors.ts';
import { errorTranslator } from './middleware/error-translator.ts';
import { hostGuard } from './middleware/host-guard.ts';
import { grantsAny } from './middleware/scopes.ts';
import { parseQuery } from './middleware/parse-query.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

export interface HttpAppOptions {
  routes: readonly Route[];
  /** Dashboard pages and other handlers that write their own responses; mounted before the JSON 404. */
  pages: express.RequestHandler[];
  authenticate(secretKey: string): Promise<Caller | undefined>;
  /** Checks the session cookie and, for changes, origin and CSRF header; throws when the request may not pass. */
  authorizeDashboard(request: Request): Promise<void>;
  publicHost: string | undefined;
  logger: Logger;
  ids: Ids;
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
  app.use(cors);
  app.use(parseBody());
  for (const route of options.routes) {
    const open = route.access === 'dashboard' ? [] : [requireJson];
    app[route.method](route.path, ...open, (request, response) => serve(options, route, request, response));
  }
  for (const page of options.pages) app.use(page);
  app.use((request) => {
    throw new HomeportError('not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  app.use(errorTranslator(options));
  return app;
}

/** Bodies by content type. The proxy takes every body as bytes: it passes them on unread. */
function parseBody(): express.RequestHandler {
  const json = express.json({ limit: BODY_LIMIT, strict: true });
  const form = express.urlencoded({ limit: BODY_LIMIT, extended: true });
  const bytes = express.raw({ limit: BODY_LIMIT, type: () => true });
  return (request, response, next) => {
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
      next();
    } else if (/^\/proxy(\/|$)/i.test(request.path)) {
      bytes(request, response, next);
    } else {
      json(request, response, (error) => (error ? next(error) : form(request, response, next)));
    }
  };
}

async function serve(options: HttpAppOptions, route: Route, http: Request, response: Response): Promise<void> {
  const caller = await identify(options, route, http);
  const request: ApiRequest = {
    http,
    response,
    params: http.params,
    query: http.query,
    body: http.body,
    get caller(): Caller {
      if (!caller) throw new Error(`The route ${route.path} has no caller.`);
      return caller;
    },
    get environment() {
      return this.caller.environment;
    },
  };
  if (route.successor) announceSuccessor(response, route.successor);
  send(response, await route.handler(request));
}

async function identify(options: HttpAppOptions, route: Route, http: Request): Promise<Caller | undefined> {
  if (route.access === 'public') return undefined;
  if (route.access === 'dashboard') {
    await options.authorizeDashboard(http);
    return undefined;
  }
  const caller = await authenticateKey(http.headers.authorization, (key) => options.authenticate(key));
  if (!grantsAny(caller.scopes, route.scopes ?? [])) {
    throw new HomeportError('forbidden', `The key lacks the scope ${(route.scopes ?? []).join(' or ')}.`);
  }
  return caller;
}

function send(response: Response, reply: Reply): void {
  if (!reply) return;
  if (reply.status === 204) {
    response.writeHead(204, reply.headers).end();
    return;
  }
  const text = reply.text ?? JSON.stringify(reply.body ?? null);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function announceSuccessor(response: Response, successor: string): void {
  // RFC 9745: the moment since when the route is deprecated, here the specification's removal date.
  response.setHeader('Deprecation', '@1768867200');
  response.setHeader('Link', `<${successor}>; rel="successor-version"`);
}
