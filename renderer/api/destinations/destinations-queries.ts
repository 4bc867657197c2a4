import { routeQuery, rowsIn } from '../route-query.ts';

/** While changes are delivered their number falls without an event. */
const EVERY_MS = 5_000;

/** Where synced records go on their own. */
export const recordDestinationsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/record-destinations', {}, { select: rowsIn, refetchInterval: EVERY_MS });

export const recordDestinationQueryOptions = (env: string, destinationId: string | undefined) =>
  routeQuery(
    env,
    'GET /api/v1/record-destinations/:destinationId',
    destinationId === undefined ? undefined : { params: { destinationId } },
    { refetchInterval: EVERY_MS },
  );
