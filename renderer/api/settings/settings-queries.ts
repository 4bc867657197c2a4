import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

export const settingsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.settings(env),
    queryFn: ({ signal }) => request('GET /api/v1/settings', { query: { env } }, signal),
  });

/** Which functions read which variables, and which variables are missing. */
export const variableUseQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.variableUse(env),
    queryFn: ({ signal }) => request('GET /api/v1/settings/variable-use', { query: { env } }, signal),
  });

/** In milliseconds; the server exports at the same interval. */
const EXPORT_EVERY_MS = 5000;

/** State of the export to the collector of the environment. */
export const telemetryQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.telemetry(env),
    queryFn: ({ signal }) => request('GET /api/v1/telemetry', { query: { env } }, signal),
    refetchInterval: EXPORT_EVERY_MS,
  });

/** The addresses to which providers redirect. */
export const callbackQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.callback(env),
    queryFn: ({ signal }) => request('GET /api/v1/callback', { query: { env } }, signal),
  });
