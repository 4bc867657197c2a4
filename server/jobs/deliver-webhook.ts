import { z } from 'zod';
import type { JobKind } from '../scheduler/job-kind.ts';
import type { NotificationsService } from '../services/notifications/notifications-service.ts';

const payload = z.object({ deliveryId: z.uuid(), destination: z.number().int(), attempt: z.number().int() });

/**
 * One attempt to deliver one webhook. Its own failures are results and bring a job of their own; only an attempt that
 * could not be stored is made again. Few at a time for each destination, many destinations.
 */
export function deliverWebhook(use: { notifications: Pick<NotificationsService, 'deliver'> }): JobKind {
  return {
    concurrency: 64,
    concurrencyPerGroup: 4,
    timeoutMs: 60_000,
    whenInterrupted: 'retry',
    maxAttempts: 3,
    retryDelayMs: () => 10_000,
    handler: (job, signal) => use.notifications.deliver(payload.parse(job.payload), signal),
  };
}
