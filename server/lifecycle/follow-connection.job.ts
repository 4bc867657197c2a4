import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { ConnectionCreation, PendingValidation } from './connection-creation.ts';

/** As the creation of the connection stored it. */
const pending = z.custom<PendingValidation>((value) => typeof value === 'object' && value !== null).optional();

const payload = z
  .object({
    connectionRowId: z.number().int(),
    event: z.enum(['creation', 'override']).default('creation'),
    validation: pending,
    /** The name in jobs of earlier versions. */
    verdict: pending,
  })
  .transform(({ validation, verdict, ...job }) => ({ ...job, validation: validation ?? verdict }));

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
