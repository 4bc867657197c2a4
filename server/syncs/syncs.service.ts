import type { Operation, OperationLog, OperationStart } from '../log/operation.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { UnfinishedReason } from '../platform/scheduler/job-kind.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { SyncRunError } from '../webhooks-out/payloads.ts';
import { BASE_VARIANT } from './scheduled-sync.ts';
import { type RunnableSync, syncFailureOf } from './sync-events.ts';
import { createSyncRuns, type SyncRunDeps } from './sync-run.ts';
import { SyncJobsStore, SyncsStore } from './syncs.store.ts';

const JOBS_KEPT_MS = 31 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_ROWS = 1000;

const UNFINISHED: Record<UnfinishedReason, string> = {
  expired: 'The run could not be started within an hour.',
  interrupted:
    'Homeport ended twice in a row during this run, so it is not started again at once. It continues from its checkpoint at its next scheduled time, or when you trigger it.',
  failed:
    'Homeport could not store the result of the run; its log has the details. The next run continues from the checkpoint.',
};

export type SyncsService = ReturnType<typeof createSyncsService>;

/** Runs syncs and their webhook handlers. The scheduler guarantees that a sync has one run at a time. */
export function createSyncsService({
  database,
  clock,
  logger,
  log,
  records,
  scheduler,
  environments,
  integrations,
  connections,
  deployments,
  runs: functionRuns,
  vault,
  notifications,
  events,
  seenTime,
}: SyncRunDeps & { logger: Logger; log: OperationLog; seenTime: Pick<SeenTime, 'isDoubtful'> }) {
  const runs = createSyncRuns({
    database,
    clock,
    records,
    scheduler,
    environments,
    integrations,
    connections,
    deployments,
    runs: functionRuns,
    vault,
    notifications,
    events,
  });
  const syncs = new SyncsStore();
  const syncJobs = new SyncJobsStore();
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: SWEEP_EVERY_MS,
    seenTime,
    sweep: (isStopped) => {
      const cutoff = clock.now() - JOBS_KEPT_MS;
      return removeInSlices({ database, sliceSize: SWEEP_ROWS, isStopped }, (tx) =>
        syncJobs.removeOlderThan(tx, cutoff, SWEEP_ROWS),
      );
    },
    failureMessage: 'Old sync jobs could not be removed.',
  });

  function startOperation(found: RunnableSync, more: Pick<OperationStart, 'message' | 'trigger' | 'meta'>): Operation {
    const { sync, integrationKey, provider } = found;
    return log.start({
      environmentId: sync.environmentId,
      type: 'sync',
      action: 'run',
      integrationKey,
      providerName: provider,
      connectionId: sync.connectionId,
      functionName: sync.name,
      variant: sync.variant,
      ...more,
    });
  }

  /** The event of a run that has no meaningful start and end: the current time is used for both. */
  function unfinishedEvent(found: RunnableSync, scriptType: 'sync' | 'webhook', error: SyncRunError) {
    const now = clock.now();
    const run = { ...found, scriptType, startedAt: now, checkpoints: { from: null, to: null } };
    return syncFailureOf(run, { error, failedAt: now, isAborted: true });
  }

  return {
    /** Call it before the scheduler starts: marks runs as failed that the last process left open. */
    async start(): Promise<void> {
      await database.transaction((tx) => syncJobs.stopAllRunning(tx, clock.now()));
      sweeps.start();
    },

    stop: (): Promise<void> => sweeps.stop(),

    /**
     * Runs a sync once. Resolves after its end to whether it succeeded; its result is then stored and logged, and the
     * webhook to the caller's app is enqueued.
     */
    async run(
      job: { syncId: string; emptyCache: boolean; trigger: string; queuedJobId?: number },
      signal: AbortSignal,
    ): Promise<boolean> {
      const found = await runs.find(job.syncId);
      // The sync was removed or switched off since the run was queued.
      if (!found) return false;
      const { name, variant } = found.sync;
      const operation = startOperation(found, { message: `Run ${name}`, trigger: job.trigger, meta: { variant } });
      const { emptyCache, queuedJobId } = job;
      return runs.run({ ...found, scriptType: 'sync', operation, emptyCache, queuedJobId, signal });
    },

    /** Runs a sync's `onWebhook` once; `input` is the payload's JSON text. Resolves to whether it succeeded. */
    async runWebhook(
      { syncId, input, operation }: { syncId: string; input: string; operation: Operation },
      signal: AbortSignal,
    ): Promise<boolean> {
      const found = await runs.find(syncId);
      if (!found) {
        operation.finish('failed', { error: { message: 'The sync is gone or switched off.' } });
        return false;
      }
      return runs.run({ ...found, scriptType: 'webhook', operation, emptyCache: false, input, signal });
    },

    /** Id of a connection's sync in its base variant, which runs the webhooks. */
    async findBaseSync(of: {
      integrationId: number;
      connectionRowId: number;
      name: string;
    }): Promise<string | undefined> {
      const [sync] = await syncs.list(database.reader, { ...of, variant: BASE_VARIANT });
      return sync?.id;
    },

    /** Notifies the caller's app of a webhook run that never started, or that the end of the program interrupted. */
    async reportLostWebhook(syncId: string, error: SyncRunError): Promise<void> {
      const found = await runs.find(syncId);
      if (!found) return;
      const event = unfinishedEvent(found, 'webhook', error);
      await database.transaction((tx) => notifications.notifySync(event, tx));
    },

    /** Logs a run that the program did not finish, notifies the caller's app, and marks the connection. */
    async reportUnfinished(syncId: string, reason: UnfinishedReason): Promise<void> {
      const found = await runs.find(syncId);
      if (!found) return;
      const { sync } = found;
      const operation = startOperation(found, {});
      const error = { message: UNFINISHED[reason] };
      operation.finish(reason === 'expired' ? 'timeout' : 'failed', { error });
      const event = unfinishedEvent(found, 'sync', error);
      await database.transaction(async (tx) => {
        if (reason === 'failed') await syncJobs.stopRunningOf(tx, sync.rowId, error.message, event.failedAt);
        await notifications.notifySync(event, tx);
        await connections.setError(tx, sync.connectionRowId, { type: 'sync', source: sync.id, logId: operation.id });
      });
    },
  };
}
