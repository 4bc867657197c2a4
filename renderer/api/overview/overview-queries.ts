import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { shownTimeZone } from '../../lib/shown-zone.ts';
import type { ActivityPeriod } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Connections, syncs and webhooks that need attention, newest first. */
export const attentionQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.attention(env),
    queryFn: ({ signal }) => request('GET /api/v1/overview/attention', { query: { env } }, signal),
  });

/** Running functions, newest first. */
export const runsNowQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.runsNow(env),
    queryFn: ({ signal }) => {
      const query = { env, states: 'running', types: 'sync:run,action,events,function', limit: MAX_RUNS };
      return request('GET /api/v1/logs/operations', { query }, signal);
    },
  });

const MAX_RUNS = 4;
const MINUTE_MS = 60_000;

/** Operations of a period that ends now; refetched regularly, because the period moves. */
export const activityQueryOptions = (env: string, period: ActivityPeriod) => {
  const of = { period, timeZone: shownTimeZone() };
  return queryOptions({
    queryKey: keys.activityOf(env, of),
    queryFn: ({ signal }) => request('GET /api/v1/overview/activity', { query: { env, ...of } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: MINUTE_MS,
  });
};

/** How long the runs of each function took in a period. */
export const durationsQueryOptions = (env: string, period: ActivityPeriod) =>
  queryOptions({
    queryKey: keys.durationsOf(env, period),
    queryFn: ({ signal }) => request('GET /api/v1/overview/durations', { query: { env, period } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: MINUTE_MS,
  });

/** Scheduled runs of the next 24 hours. */
export const plannedQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.planned(env),
    queryFn: ({ signal }) => request('GET /api/v1/overview/planned', { query: { env } }, signal),
    refetchInterval: MINUTE_MS,
  });
