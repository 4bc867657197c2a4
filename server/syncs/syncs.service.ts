import { hubFailureOf } from '../functions/runs/runs.service.ts';
import type { Operation } from '../log/operation.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import { isVaultLocked } from '../platform/lib/homeport-error.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { UnfinishedReason } from '../platform/scheduler/job-kind.ts';
import type { SyncRunError } from '../webhooks-out/payloads.ts';
import { SyncJobsStore } from './sync-jobs.store.ts';
import { lockedVaultText, SyncRun, type SyncRunRequest, syncFailureOf } from './sync-run.ts';
import { BASE_VARIANT } from './sync-schedules.service.ts';
import { SyncsStore } from './syncs.store.ts';
import type { SyncRunDeps, SyncsOptions } from './syncs-options.ts';

export type { SyncContext, SyncExecution, SyncExecutionOutcome, SyncsOptions } from './syncs-options.ts';

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

/** Runs syncs and their webhook handlers. The scheduler guarantees that a sync has one run at a time. */
export class SyncsService {
  readonly #parts: SyncRunDeps;
  readonly #sweeps: PeriodicSweep;

  constructor(options: SyncsOptions) {
    this.#parts = {
      ...options,
      syncsStore: new SyncsStore(),
      syncJobsStore: new SyncJobsStore(),
    };
    this.#sweeps = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: SWEEP_EVERY_MS,
      sweep: (isStopped) => this.#removeOldJobs(isStopped),
      failureMessage: 'Old sync jobs could not be removed.',
    });
  }

  /** Call it before the scheduler starts: marks runs as failed that the last process left open. */
  async start(): Promise<void> {
    const { database, clock, syncJobsStore: syncJobs } = this.#parts;
    await database.transaction((tx) => syncJobs.stopAllRunning(tx, clock.now()));
    this.#sweeps.start();
  }

  async stop(): Promise<void> {
    await this.#sweeps.stop();
  }

  /**
   * Runs a sync once. Resolves after its end to whether it succeeded; its result is then stored and logged, and the
   * webhook to the caller's app is enqueued.
   */
  async run(
    job: { syncId: string; emptyCache: boolean; trigger: string; queuedJobId?: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { syncsStore: syncs, database, log, executor } = this.#parts;
    const sync = await syncs.find(database.reader, job.syncId);
    const context = sync && (await executor.findContext(sync));
    // The sync was removed or switched off since the run was queued.
    if (!sync || !context) return false;
    const operation = log.start({
      environmentId: sync.environmentId,
      type: 'sync',
      action: 'run',
      message: `Run ${sync.name}`,
      integrationKey: context.providerConfigKey,
      providerName: context.providerName,
      connectionId: sync.connectionId,
      functionName: sync.name,
      variant: sync.variant,
      trigger: job.trigger,
      meta: { variant: sync.variant },
    });
    const { emptyCache, queuedJobId } = job;
    const request = { sync, context, scriptType: 'sync' as const, operation, emptyCache, signal };
    return this.#run(queuedJobId === undefined ? request : { ...request, queuedJobId });
  }

  /** Runs a sync's `onWebhook` once; `input` is the payload's JSON text. Resolves to whether it succeeded. */
  async runWebhook(
    webhook: { syncId: string; input: string; operation: Operation },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { syncsStore: syncs, database, executor } = this.#parts;
    const sync = await syncs.find(database.reader, webhook.syncId);
    const context = sync && (await executor.findContext(sync));
    if (!sync || !context) {
      webhook.operation.finish('failed', { error: { message: 'The sync is gone or switched off.' } });
      return false;
    }
    const { input, operation } = webhook;
    return this.#run({ sync, context, scriptType: 'webhook', operation, emptyCache: false, input, signal });
  }

  /** Also finishes the operation when the end of the run could not be stored. */
  async #run(request: SyncRunRequest): Promise<boolean> {
    try {
      return await new SyncRun(this.#parts, request).run();
    } catch (error) {
      if (isVaultLocked(error)) request.operation.finish('cancelled', { message: lockedVaultText(request) });
      else request.operation.finish('failed', hubFailureOf(error));
      throw error;
    }
  }

  /** Id of a connection's sync in its base variant, which runs the webhooks. */
  async findBaseSync(of: {
    integrationId: number;
    connectionRowId: number;
    name: string;
  }): Promise<string | undefined> {
    const [sync] = await this.#parts.syncsStore.list(this.#parts.database.reader, { ...of, variant: BASE_VARIANT });
    return sync?.id;
  }

  /** Notifies the caller's app of a webhook run that never started, or that the end of the program interrupted. */
  async reportLostWebhook(syncId: string, error: SyncRunError): Promise<void> {
    const { clock, syncsStore: syncs, database, executor, notifications } = this.#parts;
    const sync = await syncs.find(database.reader, syncId);
    const context = sync && (await executor.findContext(sync));
    if (!sync || !context) return;
    const now = clock.now();
    const moment = { startedAt: now, endedAt: now, checkpoints: { from: null, to: null } };
    const event = syncFailureOf({ sync, context, scriptType: 'webhook' }, moment, error, true);
    await database.transaction((tx) => notifications.notifySync(event, tx));
  }

  /** Logs a run that the program did not finish, notifies the caller's app, and marks the connection. */
  async reportUnfinished(syncId: string, reason: UnfinishedReason): Promise<void> {
    const {
      clock,
      syncsStore: syncs,
      syncJobsStore: syncJobs,
      database,
      log,
      executor,
      notifications,
      connections,
    } = this.#parts;
    const sync = await syncs.find(database.reader, syncId);
    const context = sync && (await executor.findContext(sync));
    if (!sync || !context) return;
    const operation = log.start({
      environmentId: sync.environmentId,
      type: 'sync',
      action: 'run',
      integrationKey: context.providerConfigKey,
      providerName: context.providerName,
      connectionId: sync.connectionId,
      functionName: sync.name,
      variant: sync.variant,
    });
    const error = { message: UNFINISHED[reason] };
    operation.finish(reason === 'expired' ? 'timeout' : 'failed', { error });
    const now = clock.now();
    // The run has no meaningful start and end, so the current time is used for both.
    const moment = { startedAt: now, endedAt: now, checkpoints: { from: null, to: null } };
    const event = syncFailureOf({ sync, context, scriptType: 'sync' }, moment, error, true);
    await database.transaction(async (tx) => {
      if (reason === 'failed') await syncJobs.stopRunningOf(tx, sync.rowId, error.message, now);
      await notifications.notifySync(event, tx);
      await connections.setError(tx, sync.connectionRowId, { type: 'sync', source: sync.id, logId: operation.id });
    });
  }

  async #removeOldJobs(isStopped: () => boolean): Promise<void> {
    const { database, clock, syncJobsStore: syncJobs } = this.#parts;
    const cutoff = clock.now() - JOBS_KEPT_MS;
    await removeInSlices({ database, sliceSize: SWEEP_ROWS, isStopped }, (tx) =>
      syncJobs.removeOlderThan(tx, cutoff, SWEEP_ROWS),
    );
  }
}
