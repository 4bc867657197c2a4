import { z } from 'zod';
import { environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** Export of traces of one environment, since the start of the program (design.md 7.47). */
export const telemetryState = z.object({
  /** Number of spans that the collector accepted. */
  sent: z.int(),
  /** Number of spans that the collector refused, or that were dropped because the queue was full. */
  dropped: z.int(),
  waiting: z.int(),
  lastExport: z.object({ at: isoTime, spans: z.int() }).nullable(),
  /** Why the last request failed, in a sentence. `retryAt` is null when the spans are lost. */
  problem: z.object({ at: isoTime, message: z.string(), retryAt: isoTime.nullable() }).nullable(),
});

/** Result of one test span. */
export const testSpanResponse = z.object({
  isAccepted: z.boolean(),
  /** Address of the collector. */
  url: z.string(),
  /** Id under which the collector shows the span. */
  traceId: z.string(),
  /** Status of the response; null when no response arrived. */
  status: z.int().nullable(),
  durationMs: z.int(),
  /** The problem, in a sentence. */
  message: z.string().nullable(),
});

export const telemetryRouteShapes = {
  'GET /api/v1/telemetry': {
    meaning: 'Counts of spans that were sent to the collector of the environment or dropped.',
    query: environmentQuery,
    response: telemetryState,
  },
  'POST /api/v1/telemetry/test': {
    meaning: 'Sends one span to the saved collector and waits for its answer.',
    query: environmentQuery,
    response: testSpanResponse,
  },
};

export type TestSpanResponse = z.infer<typeof testSpanResponse>;
