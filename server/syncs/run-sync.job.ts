import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { SyncsService } from './syncs.service.ts';

const payload = z.object({ syncId: z.string(), emptyCache: z.boolean(), trigger: z.string() });

const START_WITHIN_MS = 3_600_000;

/**
 * `sync-run`: one run of one sync. A failed run is not retried; the next slot runs anyway. Only a run that the end of
 * the program interrupted runs again at the next start, from its last checkpoint, and only once: otherwise a function
 * that makes the program crash would make it crash at every start.
 */
export function runSync(parts: {
  syncs: Pick<SyncsService, 'run' | 'reportUnfinished'>;
  concurrency: number;
  concurrencyPerConnection: number;
  slotsForIdleIntegrations: number;
  timeoutMs: number;
}): JobKind {
  return {
    concurrency: parts.concurrency,
    concurrencyPerGroup: parts.concurrencyPerConnection,
    slotsForIdlePartitions: parts.slotsForIdleIntegrations,
    timeoutMs: parts.timeoutMs,
    startWithinMs: START_WITHIN_MS,
    whenInterrupted: 'retry',
    maxInterruptions: 2,
    async handler(job, signal) {
      const hasSucceeded = await parts.syncs.run({ ...payload.parse(job.payload), queuedJobId: job.id }, signal);
      // The queue keeps the run for the next start only when the handler throws the abort reason.
      if (!hasSucceeded && signal.aborted) throw signal.reason;
    },
    onUnfinished: (job, reason) => parts.syncs.reportUnfinished(payload.parse(job.payload).syncId, reason),
  };
}
