import { join } from 'node:path';
import express, { type Request, type RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { CatalogReader } from '../../integrations/catalog/catalog.ts';
import type { LaterRoutes } from '../../platform/http/http-app.ts';
import type { Route } from '../../platform/http/route.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { bridgeDashboardEvents } from './dashboard-events-bridge.ts';
import { dashboardPages, redirectToDashboard } from './dashboard-pages.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { EventBroadcaster } from './event-broadcaster.ts';
import { dashboardGuard } from './session-cookie.ts';

const API_PATH = '/api/v1/';
const PAGE_PATH = '/app';

/** The dashboard's part of the server: what the Express app mounts, and how to end open event streams. */
export interface Dashboard {
  /** Nothing but a window calls them: their code is loaded when one opens. */
  routes: LaterRoutes;
  pages: RequestHandler[];
  authorize(request: Request): Promise<void>;
  /** Call it before the listener stops: open streams would delay the stop. */
  stop(): void;
}

export function createDashboard(use: DashboardParts): Dashboard {
  const { clock, environments, feed, ids, logger, logs } = use;
  const broadcaster = new EventBroadcaster({ clock, epoch: ids.hex(4) });
  const listEnvironmentIds = (): number[] => environments.list().map(({ id }) => id);
  const unbridge = bridgeDashboardEvents({
    feed,
    broadcaster,
    logs,
    listEnvironmentIds,
    health: use.about.health,
    clock,
    logger,
  });
  let loading: Promise<Route[]> | undefined;
  const load = (): Promise<Route[]> => {
    loading ??= import('./dashboard-route-list.ts').then((list) => list.createDashboardRoutes(use, broadcaster));
    return loading;
  };
  return {
    routes: { below: API_PATH, load },
    pages: [loadEarly(load), redirectToDashboard, providerLogos(use), dashboardPages(use)],
    authorize: dashboardGuard(use),
    stop: () => {
      unbridge();
      broadcaster.stop();
    },
  };
}

/** Begins to load the routes with the page that will call them. */
function loadEarly(load: () => Promise<unknown>): RequestHandler {
  return (request, _response, next) => {
    // The calls of the page report an error.
    if (request.path.startsWith(PAGE_PATH)) load().catch(() => {});
    next();
  };
}

interface ProviderLogosDeps {
  catalog: CatalogReader;
  /** Folder of our own pictures, `<provider>.svg`. A provider may have none. */
  logosFolder: string;
}

/** Background colours on which white letters have a contrast of at least 4.5:1. */
const COLOURS = ['#3f5bb5', '#7a4aa8', '#a83f6d', '#a1502c', '#6b6a1f', '#2f7a55', '#1f7486', '#5a6672'];
const KEPT_LOGOS = 1000;
const ONE_HOUR_SECONDS = 3600;

/** `/images/template-logos/<provider>.svg`: our own picture, or one drawn from the provider's initials. */
function providerLogos(use: ProviderLogosDeps): RequestHandler {
  const kept = new LRUCache<string, string>({ max: KEPT_LOGOS });
  const router = express.Router();
  router.get(/^\/images\/template-logos\/([a-zA-Z0-9_-]+)\.svg$/, async (request, response) => {
    const provider = String(request.params[0]);
    const name = use.catalog.find(provider)?.display_name ?? provider;
    const svg =
      kept.get(provider) ?? (await readIfExists(join(use.logosFolder, `${provider}.svg`))) ?? drawInitials(name);
    kept.set(provider, svg);
    response.setHeader('Cache-Control', `public, max-age=${ONE_HOUR_SECONDS}`);
    response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.type('image/svg+xml').send(svg);
  });
  return router;
}

/** Uses letters and digits only, so that a name from a workspace file cannot put markup into the picture. */
export function drawInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters =
    words
      .slice(0, 2)
      .map((word) => [...word][0] ?? '')
      .join('')
      .toUpperCase() || '?';
  const sum = [...name].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 0);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img">' +
    `<rect width="64" height="64" rx="14" fill="${COLOURS[sum % COLOURS.length]}"/>` +
    '<text x="32" y="33" fill="#fff" font-family="system-ui,sans-serif" font-size="28" font-weight="600" ' +
    `text-anchor="middle" dominant-baseline="central">${letters}</text></svg>`
  );
}
