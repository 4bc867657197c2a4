import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

const MEASURED_EVERY_MS = 5000;

/** Whether bodies of requests to providers are recorded, and their size; polled while recording is on. */
export const trafficQueryOptions = () =>
  queryOptions({
    queryKey: keys.traffic,
    queryFn: ({ signal }) => request('GET /api/v1/traffic-recording', {}, signal),
    refetchInterval: ({ state }) => (state.data?.isOn ? MEASURED_EVERY_MS : false),
  });

/** The bodies of one request. Cached without end: they never change, and the audit records each read. */
export const recordingQueryOptions = (env: string, operationId: string, recordingId: string | null) =>
  queryOptions({
    queryKey: keys.recording(env, operationId, recordingId),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations/:operationId/recordings/:recordingId',
        { params: { operationId, recordingId: recordingId ?? '' }, query: { env } },
        signal,
      ),
    enabled: recordingId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
