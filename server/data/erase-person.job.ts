import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { ErasureService } from './erasure/erasure.service.ts';

const payload = z.object({ erasureId: z.uuid(), look: z.number().int(), isScanned: z.boolean() });

/** Removes what names the person of a deleted connection. One at a time, because each reads everything that is kept. */
export function erasePerson(use: { erasure: Pick<ErasureService, 'run'> }): JobKind {
  return {
    concurrency: 1,
    timeoutMs: 6 * 3_600_000,
    maxAttempts: 1_000,
    retryDelayMs: (attempt) => Math.min(10 * 60_000, 5_000 * 2 ** (attempt - 1)),
    whenInterrupted: 'retry',
    handler: (job, signal) => use.erasure.run(payload.parse(job.payload), signal),
  };
}
