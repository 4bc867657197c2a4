import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { ConnectionCreation, PendingValidation } from './connection-creation.ts';

const payload = z.object({
  connectionRowId: z.number().int(),
  event: z.enum(['creation', 'override']).default('creation'),
  /** As the creation of the connection stored it. */
  verdict: z.custom<PendingValidation>((value) => typeof value === 'object' && value !== null).optional(),
});

/**
 * The job after a connection was stored: validation, the provider's step, functions, syncs, the webhook. It runs again
 * after a crash.
 */
export function followConnection(use: { creation: ConnectionCreation }): JobKind {
  return {
    concurrency: 10,
    timeoutMs: 30 * 60_000,
    // Also a validation without a decision runs again (design.md 7.54).
    maxAttempts: 100,
    retryDelayMs: (attempt) => Math.min(10 * 60_000, 5_000 * 2 ** (attempt - 1)),
    whenInterrupted: 'retry',
    handler: async (job, signal) => {
      await use.creation.afterCreation(job.id, payload.parse(job.payload), signal);
    },
  };
}
