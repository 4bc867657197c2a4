import { z } from 'zod';
import { environmentQuery, isoTime } from './dashboard-lists.ts';

/** Export of traces from one environment, since the start of the program (design.md 7.47). */
export const telemetryState = z.object({
  /** Spans that the collector took. */
  sent: z.int(),
  /** Those that it refused, and those that a full queue had no room for. */
  dropped: z.int(),
  waiting: z.int(),
  lastExport: z.object({ at: isoTime, spans: z.int() }).nullable(),
  /** Why the last request failed, in a sentence; `retryAt` is null when the spans are lost. */
  problem: z.object({ at: isoTime, message: z.string(), retryAt: isoTime.nullable() }).nullable(),
});

/** What came of one span that was sent at once. */
export const testSpanAnswer = z.object({
  isAccepted: z.boolean(),
  /** Where it was sent to. */
  url: z.string(),
  /** To look for it in the collector. */
  traceId: z.string(),
  /** Of the answer; null when none came. */
  status: z.int().nullable(),
  durationMs: z.int(),
  /** What went wrong, in a sentence. */
  message: z.string().nullable(),
});

export const telemetryRouteShapes = {
  'GET /api/v1/telemetry': {
    meaning: 'What was sent to the collector of the environment, and what was not.',
    query: environmentQuery,
    response: telemetryState,
  },
  'POST /api/v1/telemetry/test': {
    meaning: 'Sends one span to the saved collector and waits for its answer.',
    query: environmentQuery,
    response: testSpanAnswer,
  },
};

export type TestSpanAnswer = z.infer<typeof testSpanAnswer>;
