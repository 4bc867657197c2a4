import { z } from 'zod';
import { done, environmentQuery } from '../contract/dashboard/dashboard-lists.ts';

/** Recording of traffic, for the whole hub (ui.md 6.16). */

/** Size limit of all recordings together, in megabytes. */
const mostMegabytes = z.int().min(10).max(10_000);

export const trafficState = z.object({
  isOn: z.boolean(),
  mostMegabytes,
  /** Size of the recordings, summed up from their bodies. */
  usedBytes: z.int(),
});

export const changeTrafficBody = z.strictObject({ isOn: z.boolean(), mostMegabytes });

/** Secrets are removed. */
export const recordedBodyView = z.object({
  text: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  contentType: z.string().nullable(),
  /** Size of the whole body on the wire. */
  sizeBytes: z.int(),
  /** Whether the text is only the beginning, or the response broke off. */
  isCut: z.boolean(),
});

/** Null when there was no body, or no response. */
export const recordedExchange = z.object({
  request: recordedBodyView.nullable(),
  response: recordedBodyView.nullable(),
});

export const trafficRouteShapes = {
  'GET /api/v1/traffic-recording': {
    meaning: 'Whether bodies of requests to providers are recorded, and their size.',
    response: trafficState,
  },
  'PUT /api/v1/traffic-recording': {
    meaning: 'Switches the recording on or off and sets its limit; a smaller one removes the oldest at once.',
    body: changeTrafficBody,
    response: trafficState,
  },
  'DELETE /api/v1/traffic-recording': { meaning: 'Removes all recordings.', response: done },
  'GET /api/v1/logs/operations/:operationId/recordings/:recordingId': {
    meaning: 'The recorded bodies of one request; 404 when they are not kept any more, 423 while the vault is locked.',
    params: z.object({ operationId: z.string(), recordingId: z.string() }),
    query: environmentQuery,
    response: recordedExchange,
  },
};

export type TrafficState = z.infer<typeof trafficState>;
export type ChangeTraffic = z.infer<typeof changeTrafficBody>;
export type RecordedBodyView = z.infer<typeof recordedBodyView>;
export type RecordedExchange = z.infer<typeof recordedExchange>;
