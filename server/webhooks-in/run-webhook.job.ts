import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { IncomingService } from './incoming.service.ts';

const payload = z.object({ runId: z.uuid() });

const MINUTE_MS = 60_000;

/**
 * One run of a sync's `onWebhook`. It starts within 5 minutes, runs for at most an hour, and is not retried
 * (webhooks.md 2.3).
 */
export function runWebhook(use: { incoming: Pick<IncomingService, 'runs'>; concurrency: number }): JobKind {
  return {
    // At most as many as can start at once: a crash loses started runs, also those that wait inside the sandbox.
    concurrency: use.concurrency,
    // The run has its own, shorter limit with a clearer error.
    timeoutMs: 61 * MINUTE_MS,
    startWithinMs: 5 * MINUTE_MS,
    handler: (job, signal) => use.incoming.runs.run(payload.parse(job.payload).runId, signal),
    onUnfinished: (job, reason) => use.incoming.runs.giveUp(payload.parse(job.payload).runId, reason),
  };
}
