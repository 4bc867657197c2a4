import { routeQuery } from '../route-query.ts';

export const settingsQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/settings', {});

/** Which functions read which variables, and which variables are missing. */
export const variableUseQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/settings/variable-use', {});

/** In milliseconds; the server exports at the same interval. */
const EXPORT_EVERY_MS = 5000;

/** State of the export to the collector of the environment. */
export const telemetryQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/telemetry', {}, { refetchInterval: EXPORT_EVERY_MS });

/** The addresses to which providers redirect. */
export const callbackQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/callback', {});

/** Where questions of agents are sent as well, and what became of the last message. */
export const approvalsTargetQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/mcp/approvals-target', {});
