import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { DestinationsService } from './destinations.service.ts';

const payload = z.object({ destinationId: z.uuid() });

/**
 * Delivers what waits for one destination. A failed delivery is a result, stored with the next job; a job is repeated
 * only when the hub itself could not go on.
 */
export function runDestination(use: { destinations: Pick<DestinationsService, 'run'> }): JobKind {
  return {
    concurrency: 4,
    concurrencyPerGroup: 1,
    timeoutMs: 15 * 60_000,
    whenInterrupted: 'retry',
    maxAttempts: Number.MAX_SAFE_INTEGER,
    retryDelayMs: () => 10_000,
    handler: (job, signal) => use.destinations.run(job, payload.parse(job.payload).destinationId, signal),
  };
}
