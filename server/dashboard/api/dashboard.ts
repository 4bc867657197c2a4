import type { Request, RequestHandler } from 'express';
import type { Route } from '../../platform/http/route.ts';
import { bridgeDashboardEvents } from './dashboard-events-bridge.ts';
import { dashboardPages, redirectToDashboard } from './dashboard-pages.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { createDashboardRoutes } from './dashboard-route-list.ts';
import { EventBroadcaster } from './event-broadcaster.ts';
import { providerLogos } from './provider-logos.ts';
import { dashboardGuard } from './session-cookie.ts';

/** The dashboard's part of the server: what the Express app mounts, and how to end open event streams. */
export interface Dashboard {
  routes: Route[];
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
  return {
    routes: createDashboardRoutes(use, broadcaster),
    pages: [redirectToDashboard, providerLogos(use), dashboardPages(use)],
    authorize: dashboardGuard(use),
    stop: () => {
      unbridge();
      broadcaster.stop();
    },
  };
}
