import { hubQuery, routeQuery } from '../route-query.ts';

const MEASURED_EVERY_MS = 5000;

/** Whether bodies of requests to providers are recorded, and their size; polled while recording is on. */
export const trafficQueryOptions = () =>
  hubQuery(
    'GET /api/v1/traffic-recording',
    {},
    { refetchInterval: ({ state }) => (state.data?.isOn ? MEASURED_EVERY_MS : false) },
  );

/** The bodies of one request. Cached without end: they never change, and the audit records each read. */
export const recordingQueryOptions = (env: string, operationId: string, recordingId: string | null) =>
  routeQuery(
    env,
    'GET /api/v1/logs/operations/:operationId/recordings/:recordingId',
    recordingId === null ? undefined : { params: { operationId, recordingId } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
