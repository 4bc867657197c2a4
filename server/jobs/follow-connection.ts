import { z } from 'zod';
import type { JobKind } from '../scheduler/job-kind.ts';
import type { LifecycleService } from '../services/lifecycle/lifecycle-service.ts';

const payload = z.object({ connectionRowId: z.number().int() });

/** What follows a new connection: its post-connection functions, then its syncs. Runs again after a crash. */
export function followConnection(use: { lifecycle: LifecycleService }): JobKind {
  return {
    concurrency: 10,
    timeoutMs: 30 * 60_000,
    whenInterrupted: 'retry',
    handler: async (job) => {
      await use.lifecycle.afterCreation(payload.parse(job.payload).connectionRowId);
    },
  };
}
