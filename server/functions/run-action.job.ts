import { z } from 'zod';
import type { JobKind, UnfinishedReason } from '../platform/scheduler/job-kind.ts';
import type { BackgroundActions } from './background-actions.ts';

const payload = z.object({ callId: z.uuid() });

const MINUTE_MS = 60_000;

const REASONS: Record<UnfinishedReason, string> = {
  expired: 'it could not start within 24 hours',
  interrupted: 'Homeport stopped, or its vault was locked',
  failed: 'an unexpected error occurred in the hub, and its log has the details',
};

/** Asynchronous actions: one at a time per environment, in order; they must start within 24 h (functions.md 7.1). */
export function runAction(use: { background: BackgroundActions }): JobKind {
  return {
    concurrency: 50,
    concurrencyPerGroup: 1,
    timeoutMs: 16 * MINUTE_MS,
    startWithinMs: 24 * 60 * MINUTE_MS,
    retryDelayMs: () => 0,
    handler: (job, signal) => use.background.run(payload.parse(job.payload).callId, job.isLastAttempt, signal),
    onUnfinished: (job, reason) => use.background.giveUp(payload.parse(job.payload).callId, REASONS[reason]),
  };
}
