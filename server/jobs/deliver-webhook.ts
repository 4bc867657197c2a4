import { z } from 'zod';
import type { JobKind } from '../scheduler/job-kind.ts';
import type { NotificationsService } from '../services/notifications/notifications-service.ts';

const payload = z.object({ deliveryId: z.uuid(), destination: z.number().int(), attempt: z.number().int() });

/**
 * One attempt to deliver one webhook. Its own failures are results and bring a job of their own; only an attempt that
 * could not be stored is made again. Of all that are made at a time one destination has an eighth.
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
