import { z } from 'zod';
import type { JobKind } from '../platform/scheduler/job-kind.ts';
import type { IncomingService } from './incoming.service.ts';

const payload = z.object({
  environmentId: z.number().int(),
  integrationKey: z.string(),
  webhookId: z.string(),
  sealed: z.string(),
});

/** Completes the connections that wait for an installation, when the attempt at once failed or the program ended. */
export function completeInstallation(use: { incoming: Pick<IncomingService, 'installations'> }): JobKind {
  return {
    concurrency: 4,
    timeoutMs: 5 * 60_000,
    // With these pauses for about two hours.
    maxAttempts: 11,
    retryDelayMs: (attempt) => 5_000 * 2 ** (attempt - 1),
    whenInterrupted: 'retry',
    handler: (job) => use.incoming.installations.complete(payload.parse(job.payload)),
  };
}
