import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { NotificationsService } from './notifications.service.ts';

const payload = z.object({ deliveryId: z.uuid(), destination: z.number().int(), attempt: z.number().int() });

/**
 * One attempt to deliver one webhook. A failed attempt is a result, and enqueues the next attempt as another job; a job
 * is repeated only when its result could not be stored. One destination may have an eighth of the attempts that run at
 * the same time.
 */
export function deliverWebhook(use: { notifications: Pick<NotificationsService, 'deliver'> }): JobKind {
  return {
    concurrency: 128,
    concurrencyPerGroup: 16,
    timeoutMs: 60_000,
    whenInterrupted: 'retry',
    maxAttempts: 3,
    retryDelayMs: () => 10_000,
    handler: (job, signal) => use.notifications.deliver(payload.parse(job.payload), signal),
  };
}
