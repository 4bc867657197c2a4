import type { AppServices } from './app-dashboard-services.ts';
import type { Engines } from './app-infrastructure.ts';
import { erasePerson } from './data/erase-person.job.ts';
import { RUN_DESTINATION } from './destinations/destinations.service.ts';
import { runDestination } from './destinations/run-destination.job.ts';
import { RUN_ACTION } from './functions/background-actions.ts';
import { runAction } from './functions/run-action.job.ts';
import { CONNECTION_CREATED } from './lifecycle/connection-creation.ts';
import { ERASE_PERSON } from './lifecycle/erasure-requests.ts';
import { followConnection } from './lifecycle/follow-connection.job.ts';
import { RUN_TIMEOUT_MS } from './platform/sandbox/run-limits.ts';
import { runSync } from './syncs/run-sync.job.ts';
import { SYNC_RUN } from './syncs/sync-schedules.service.ts';
import { completeInstallation } from './webhooks-in/complete-installation.job.ts';
import { COMPLETE_INSTALLATION, RUN_WEBHOOK } from './webhooks-in/incoming.service.ts';
import { runWebhook } from './webhooks-in/run-webhook.job.ts';
import { deliverWebhook } from './webhooks-out/deliver-webhook.job.ts';
import { DELIVER_WEBHOOK } from './webhooks-out/notifications.service.ts';

/** Most sync runs at the same time, if memory allows: enough to wait for many providers, few enough for one laptop. */
const MAX_SYNCS = 20;
const SYNCS_PER_CONNECTION = 4;
/** Most runs of webhook handlers at the same time, if memory allows. */
const MAX_WEBHOOK_RUNS = 16;

/** What the jobs of the scheduler call. */
export function registerJobs(
  { sandbox, scheduler }: Engines,
  { background, creation, destinations, erasure, incoming, notifications, syncs }: AppServices,
): void {
  const { all, busy } = sandbox.backgroundRuns;
  const syncConcurrency = Math.min(MAX_SYNCS, all);
  scheduler.register(DELIVER_WEBHOOK, deliverWebhook({ notifications }));
  scheduler.register(
    SYNC_RUN,
    runSync({
      syncs,
      concurrency: syncConcurrency,
      concurrencyPerConnection: SYNCS_PER_CONNECTION,
      slotsForIdleIntegrations: Math.ceil(syncConcurrency / 5),
      timeoutMs: RUN_TIMEOUT_MS.sync,
    }),
  );
  scheduler.register(RUN_ACTION, runAction({ background }));
  scheduler.register(RUN_WEBHOOK, runWebhook({ incoming, concurrency: Math.min(MAX_WEBHOOK_RUNS, busy) }));
  scheduler.register(COMPLETE_INSTALLATION, completeInstallation({ incoming }));
  scheduler.register(CONNECTION_CREATED, followConnection({ creation }));
  scheduler.register(RUN_DESTINATION, runDestination({ destinations }));
  scheduler.register(ERASE_PERSON, erasePerson({ erasure }));
}
