import { routeQuery } from '../route-query.ts';

/** No event reports its end. */
const POLL_MS = 2000;

/** The failure that the practice provider simulates; null when it works. */
export const practiceFailureQueryOptions = (env: string) =>
  routeQuery(
    env,
    'GET /api/v1/practice/failure',
    {},
    {
      select: ({ failure }) => failure,
      refetchInterval: ({ state }) => (state.data?.failure ? POLL_MS : false),
      staleTime: 0,
    },
  );
