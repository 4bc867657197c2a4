import { routeQuery } from '../route-query.ts';

/** The folder of Parquet files of the environment. */
export const snapshotsQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/snapshots', {});
