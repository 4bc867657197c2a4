import { z } from 'zod';
import { done, environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** Failures that the practice provider can simulate. */
export const practiceFailureKind = z.enum(['unauthorized', 'rate_limited', 'server_error', 'timeout', 'broken_record']);

export const PRACTICE_FAILURE_MINUTES = [1, 5, 15] as const;

export const practiceFailure = z.object({
  failure: z.object({ kind: practiceFailureKind, startedAt: isoTime, endsAt: isoTime }).nullable(),
});

export const practiceRouteShapes = {
  'GET /api/v1/practice/failure': {
    meaning: 'The failure that the practice provider simulates now; null when it works.',
    query: environmentQuery,
    response: practiceFailure,
  },
  'PUT /api/v1/practice/failure': {
    meaning: 'Makes every call of the API of the practice provider fail for some minutes; replaces another failure.',
    query: environmentQuery,
    body: z.object({
      kind: practiceFailureKind,
      minutes: z.union(PRACTICE_FAILURE_MINUTES.map((minutes) => z.literal(minutes))).default(5),
    }),
    response: practiceFailure,
  },
  'DELETE /api/v1/practice/failure': {
    meaning: 'Ends it.',
    query: environmentQuery,
    response: done,
  },
};

export type PracticeFailureKind = z.infer<typeof practiceFailureKind>;
export type PracticeFailure = z.infer<typeof practiceFailure>['failure'];
