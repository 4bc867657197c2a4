import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

const MEASURED_EVERY_MS = 5000;

/** Whether bodies of requests to providers are recorded, and what they take; while it is on, that grows. */
export const trafficQueryOptions = () =>
  queryOptions({
    queryKey: keys.traffic,
    queryFn: ({ signal }) => request('GET /api/v1/traffic-recording', {}, signal),
    refetchInterval: ({ state }) => (state.data?.isOn ? MEASURED_EVERY_MS : false),
  });

/** The bodies of one request. They never change: each look at them is written to the audit. */
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
