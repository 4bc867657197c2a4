import type { Request, RequestHandler, Response } from 'express';
import express from 'express';
import { PageFolder, type PolicyChanges } from '../../platform/http/page-folder.ts';

interface DashboardPagesDeps {
  /** Built pages (`dist/renderer`). */
  rendererFolder: string;
}

const MISSING_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Homeport</title><h1>The dashboard is not built</h1>' +
  '<p>Run <code>npm run build</code> in the folder of Homeport, then load this page again. The API works without it.</p></html>';

/** The dashboard shows the connect page in a frame. */
export const PAGE_POLICY: PolicyChanges = { 'frame-src': "'self'" };

/** `/app/…`: the dashboard. Every path that is not a file gets the start page, whose router reads the path. */
export function dashboardPages(use: DashboardPagesDeps): RequestHandler {
  const folder = new PageFolder(use.rendererFolder, PAGE_POLICY);
  const router = express.Router();
  router.use('/app', (_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    next();
  });
  // The build puts a hash of the content into the name of each of these files.
  router.use(
    '/app/assets',
    express.static(`${use.rendererFolder}/assets`, { immutable: true, maxAge: '1y', index: false, redirect: false }),
  );
  router.get(/^\/app(\/(?!assets\/).*)?$/, async (request, response, next) => {
    if (!isPagePath(request)) {
      next();
      return;
    }
    const page = await folder.read();
    if (page) sendPage(response, 200, page.html, page.policy);
    else sendPage(response, 503, MISSING_PAGE, "default-src 'none'; frame-ancestors 'none'");
  });
  return router;
}

/** Connection ids may contain dots, so a dot does not make the path a file. Browsers say when they load a page. */
function isPagePath(request: Request): boolean {
  return !/\.[^/.]*$/.test(request.path) || request.headers.accept?.includes('text/html') === true;
}

function sendPage(response: Response, status: number, html: string, policy: string): void {
  response.status(status);
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(html);
}

/** First path segments that cannot be an environment. */
const RESERVED = new Set(['app', 'api', 'v1', 'connect', 'proxy', 'oauth', 'webhook', 'images', 'assets']);
/** Dashboard screens as named in links from reference material (ui.md 2, 3), with their names here. */
const PAGES: Record<string, string> = {
  integrations: 'integrations',
  integration: 'integrations',
  connections: 'connections',
  logs: 'logs',
  activity: 'logs',
  'environment-settings': 'environment-settings',
  'project-settings': 'environment-settings',
  'getting-started': 'getting-started',
};

/** The response for programs at `/`. */
const START = {
  name: 'Homeport',
  api: 'Every path of the API begins here; calls carry the secret key of an environment as a bearer token.',
  documentation: '/openapi.json',
  health: '/health',
  dashboard: '/app/',
};

/**
 * Redirects a browser from `/` or `/<environment>/logs` to the dashboard, with the query; the browser keeps the hash.
 * Answers a program with the address of the API.
 */
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
  const [, environment = '', page = '', rest = ''] = match;
  const here = RESERVED.has(environment) ? undefined : PAGES[page];
  return here === undefined ? undefined : `/app/${environment}/${here}${rest}`;
}
