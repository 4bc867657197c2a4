import { keepPreviousData } from '@tanstack/react-query';
import { shownTimeZone } from '../../lib/shown-zone.ts';
import type { ActivityPeriod } from '../contract.ts';
import { runsQuery } from '../logs/logs-queries.ts';
import { routeQuery } from '../route-query.ts';

/** Connections, syncs and webhooks that need attention, newest first. */
export const attentionQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/overview/attention', {});

const MAX_RUNS = 4;

/** Running functions, newest first. */
export const runsNowQueryOptions = (env: string) =>
  runsQuery(env, { states: 'running', types: 'sync:run,action,events,function', limit: MAX_RUNS });

/** A period that ends now moves, so it is refetched regularly. */
const MOVING = { placeholderData: keepPreviousData, refetchInterval: 60_000 } as const;

/** Operations of a period that ends now. */
export const activityQueryOptions = (env: string, period: ActivityPeriod) =>
  routeQuery(env, 'GET /api/v1/overview/activity', { query: { period, timeZone: shownTimeZone() } }, MOVING);

/** How long the runs of each function took in a period. */
export const durationsQueryOptions = (env: string, period: ActivityPeriod) =>
  routeQuery(env, 'GET /api/v1/overview/durations', { query: { period } }, MOVING);

/** Scheduled runs of the next 24 hours. */
export const plannedQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/overview/planned', {}, { refetchInterval: MOVING.refetchInterval });
