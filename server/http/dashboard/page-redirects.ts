import type { RequestHandler } from 'express';

/** First segments that are no environment. */
const RESERVED = new Set(['app', 'api', 'v1', 'connect', 'proxy', 'oauth', 'webhook', 'images', 'assets']);
/** Places of the dashboard in links copied from reference material (ui.md 2), and what they are called here. */
const PLACES: Record<string, string> = {
  integrations: 'integrations',
  connections: 'connections',
  logs: 'logs',
  activity: 'logs',
  'environment-settings': 'environment-settings',
  'getting-started': '',
};

/** What a program finds at `/`. */
const START = {
  name: 'Homeport',
  api: 'Every path of the API begins here; calls carry the secret key of an environment as a bearer token.',
  documentation: '/openapi.json',
  health: '/health',
  dashboard: '/app/',
};

/** Sends a browser that asks for `/` or `/<environment>/logs` to the dashboard; the query stays, the browser keeps the hash. Tells a program where the API is. */
export const redirectToDashboard: RequestHandler = (request, response, next) => {
  const target =
    request.method === 'GET' && request.headers.accept?.includes('text/html') ? dashboardPath(request.path) : undefined;
  if (target === undefined) {
    if (request.path === '/' && request.method === 'GET') response.json(START);
    else next();
    return;
  }
  const query = request.originalUrl.indexOf('?');
  response.redirect(302, `${target}${query === -1 ? '' : request.originalUrl.slice(query)}`);
};

function dashboardPath(path: string): string | undefined {
  if (path === '/') return '/app/';
  const match = /^\/([a-z0-9_-]+)\/([a-z-]+)((?:\/.*)?)$/.exec(path);
  if (!match) return undefined;
  const [, environment = '', place = '', rest = ''] = match;
  const here = RESERVED.has(environment) ? undefined : PLACES[place];
  if (here === undefined) return undefined;
  return here === '' ? `/app/${environment}` : `/app/${environment}/${here}${rest}`;
}
