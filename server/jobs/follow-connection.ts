import { z } from 'zod';
import type { JobKind } from '../scheduler/job-kind.ts';
import type { ConnectionCreation } from '../services/lifecycle/connection-creation.ts';

const payload = z.object({
  connectionRowId: z.number().int(),
  event: z.enum(['creation', 'override']).default('creation'),
});

/** What follows a new connection: the provider's step, functions, syncs, the news. Runs again after a crash. */
export function followConnection(use: { creation: ConnectionCreation }): JobKind {
  return {
    concurrency: 10,
    timeoutMs: 30 * 60_000,
    whenInterrupted: 'retry',
    handler: async (job) => {
      const { connectionRowId, event } = payload.parse(job.payload);
      await use.creation.afterCreation(connectionRowId, event);
    },
  };
}
