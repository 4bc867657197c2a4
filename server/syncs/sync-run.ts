import type { FinalState, Operation } from '../log/operation.ts';
import type { Transaction } from '../platform/database/database.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import { JobAborted } from '../platform/scheduler/job-kind.ts';
import type { CheckpointRange, CheckpointSession, ModelCounts, RecordSession } from '../records/records.service.ts';
import type { SyncEvent, SyncFailed, SyncRunError } from '../webhooks-out/payloads.ts';
import { checkpointKeyOf, webhookCheckpointKeyOf } from './sync-schedules.service.ts';
import type { SyncRow } from './syncs.store.ts';
import type { SyncContext, SyncExecutionOutcome, SyncRunDeps } from './syncs-options.ts';

export interface SyncRunRequest {
  sync: SyncRow;
  context: SyncContext;
  scriptType: 'sync' | 'webhook';
  operation: Operation;
  emptyCache: boolean;
  /** JSON text of a webhook's payload. */
  input?: string;
  /** Job of the scheduler; a run whose job was cancelled does not count as successful. */
  queuedJobId?: number;
  signal: AbortSignal;
}

/**
 * The reason for the end of a run during which the vault was locked. The queue repeats runs of syncs, but not those of
 * webhooks.
 */
export function lockedVaultText({ scriptType }: Pick<SyncRunRequest, 'scriptType'>): string {
  const rest = scriptType === 'sync' ? ' It starts again when the vault is unlocked.' : '';
  return `The vault was locked during the run.${rest}`;
}

/** One run of a sync or of its webhook handler, in the order of syncs-and-records.md 1.14. */
export class SyncRun {
  readonly #parts: SyncRunDeps;
  readonly #request: SyncRunRequest;
  readonly #startedAt: number;
  readonly #checkpoint: CheckpointSession;

  constructor(parts: SyncRunDeps, request: SyncRunRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#startedAt = parts.clock.now();
    const { sync, scriptType } = request;
    const key = scriptType === 'sync' ? checkpointKeyOf(sync) : webhookCheckpointKeyOf(sync);
    const assertWanted = (tx: Transaction): Promise<void> => this.#assertWanted(tx);
    this.#checkpoint = parts.records.openCheckpoint({ connectionRowId: sync.connectionRowId, key, assertWanted });
  }

  /**
   * Resolves to whether the run succeeded; its end is then stored. Rejects with `vault_locked`, and when the end could
   * not be stored.
   */
  async run(): Promise<boolean> {
    const jobId = await this.#begin();
    this.#emitChange({});
    let hasSucceeded = false;
    try {
      hasSucceeded = await this.#finish(jobId);
      return hasSucceeded;
    } finally {
      this.#emitChange({ end: hasSucceeded && this.#request.scriptType === 'sync' ? 'success' : 'other' });
    }
  }

  #emitChange(change: { end?: 'success' | 'other' }): void {
    const { sync, context } = this.#request;
    const { connectionId, environmentId, name, variant } = sync;
    this.#parts.events.emit('sync', {
      environmentId,
      integrationKey: context.providerConfigKey,
      connectionId,
      sync: name,
      variant,
      ...change,
    });
  }

  async #finish(jobId: number): Promise<boolean> {
    const records = this.#openRecords(jobId);
    const outcome = await this.#execute(jobId, records);
    const ended = this.#abortKind() ?? (!outcome.ok && outcome.isLost ? 'heartbeat' : undefined);
    // A write that a cancellation refused can end the run before the signal arrives.
    const abort = ended ?? (!outcome.ok && !(await this.#isStillWanted()) ? 'cancelled' : undefined);
    try {
      if (outcome.ok && abort === undefined && (await this.#succeed(jobId, records))) return true;
      // The run may have failed because the vault is locked, which is not the function's fault.
      if (!outcome.ok && abort === undefined) this.#parts.vault.assertUnlocked();
      await this.#fail(
        jobId,
        outcome.ok ? { message: this.#abortText(abort) } : outcome.error,
        abort ?? (outcome.ok ? 'cancelled' : undefined),
      );
      return false;
    } catch (error) {
      if (isVaultLocked(error)) await this.#stopForLockedVault(jobId);
      throw error;
    }
  }

  #stopForLockedVault(jobId: number): Promise<void> {
    const { database, clock, syncJobsStore: syncJobs } = this.#parts;
    return database.transaction((tx) => syncJobs.stop(tx, jobId, null, clock.now()));
  }

  /** The job is stored before any data of the run; emptying the cache is part of the same transaction. */
  #begin(): Promise<number> {
    const { database, scheduler, syncsStore: syncs, syncJobsStore: syncJobs, records } = this.#parts;
    const { sync, context, emptyCache, scriptType, operation, queuedJobId } = this.#request;
    const isIncremental =
      scriptType === 'webhook' || (context.definition.type === 'incremental' && sync.lastSyncDate !== null);
    const work = async (tx: Transaction): Promise<number> => {
      const jobId = await syncJobs.insert(tx, {
        syncRowId: sync.rowId,
        type: isIncremental ? 'INCREMENTAL' : 'FULL',
        logId: operation.id,
        createdAt: this.#startedAt,
      });
      await syncs.setLatestJob(tx, sync.id, jobId);
      if (emptyCache) {
        const streams = context.definition.models.map((model) => ({ ...sync, model }));
        await records.empty(tx, streams);
        // A run that is repeated after the end of the program continues from its checkpoint, with the records that it
        // saved.
        if (queuedJobId !== undefined) await scheduler.patch(tx, queuedJobId, { emptyCache: false });
      }
      return jobId;
    };
    // Emptying is not shared with other transactions: readers use caches that are invalidated only by its commit.
    return database.transaction(work, { shared: !emptyCache });
  }

  #openRecords(jobId: number): RecordSession {
    const { records, syncJobsStore: syncJobs, clock } = this.#parts;
    const { sync, context, operation, scriptType } = this.#request;
    return records.openRecords({
      connectionRowId: sync.connectionRowId,
      variant: sync.variant,
      jobId,
      findGeneration: async (tx) =>
        // A run that continued from a checkpoint saves only the rest: what the failed runs before it saved is seen too.
        scriptType === 'sync' && this.#checkpoint.range.from !== null
          ? syncJobs.findFirstSince(tx, sync.rowId, sync.lastSyncDate)
          : jobId,
      operationId: operation.id,
      models: context.definition.models,
      checkpointKey: checkpointKeyOf(sync),
      assertWanted: (tx) => this.#assertWanted(tx),
      onCounts: (tx, counts) => syncJobs.updateResult(tx, jobId, counts, clock.now()),
    });
  }

  async #execute(jobId: number, records: RecordSession): Promise<SyncExecutionOutcome> {
    const { sync, context, scriptType, operation, emptyCache, input, signal } = this.#request;
    try {
      const outcome = await this.#parts.executor.execute({
        sync,
        context,
        scriptType,
        jobId,
        operation,
        emptyCache,
        records,
        signal,
        checkpoint: this.#checkpoint,
        ...(scriptType === 'sync' && sync.lastSyncDate !== null ? { lastSyncDate: sync.lastSyncDate } : {}),
        ...(input === undefined ? {} : { input }),
      });
      if (outcome.ok && scriptType === 'sync' && context.definition.trackDeletes && !signal.aborted)
        await this.#deleteMissing(records);
      return outcome;
    } catch (error) {
      return { ok: false, error: { message: error instanceof Error ? error.message : String(error) } };
    }
  }

  async #deleteMissing(records: RecordSession): Promise<void> {
    const { operation, context } = this.#request;
    for (const model of context.definition.models) {
      const { deletedKeys } = await records.deleteFromPreviousExecutions(model);
      operation.log({
        level: 'warn',
        message: `trackDeletes: ${deletedKeys.length} records of ${model} were not saved by this run and are deleted.`,
      });
    }
  }

  /** Resolves to false when the run was cancelled at the last moment; nothing was stored then. */
  async #succeed(jobId: number, records: RecordSession): Promise<boolean> {
    const { database, clock, syncsStore: syncs, syncJobsStore: syncJobs, notifications, connections } = this.#parts;
    const { sync, scriptType, operation } = this.#request;
    const store = async (tx: Transaction): Promise<boolean> => {
      if (!(await this.#leaveQueueWanted(tx))) return false;
      if (scriptType === 'sync') await syncs.setLastSyncDate(tx, sync.id, this.#startedAt);
      await syncJobs.succeed(tx, jobId, records.counts, clock.now());
      const webhookUrlOverride = connections.peekByRowId(sync.connectionRowId)?.webhookUrlOverride;
      for (const event of successesOf(this.#request, this.#moment(), records.counts))
        await notifications.notifySync(webhookUrlOverride === undefined ? event : { ...event, webhookUrlOverride }, tx);
      if (scriptType === 'sync')
        await connections.removeSyncErrors(tx, [{ connectionRowId: sync.connectionRowId, syncId: sync.id }]);
      return true;
    };
    if (!(await database.transaction(store, { shared: true }))) return false;
    operation.finish('success', { meta: { result: records.counts, checkpoints: this.#checkpoint.range } });
    return true;
  }

  /** A cancellation is stored shortly before its signal arrives; the run must not write in between. */
  async #isWanted(tx: Transaction): Promise<boolean> {
    const { queuedJobId, sync } = this.#request;
    if (queuedJobId === undefined) return (await this.#parts.syncsStore.find(tx, sync.id)) !== undefined;
    return this.#parts.scheduler.isWanted(tx, queuedJobId);
  }

  #isStillWanted(): Promise<boolean> {
    return this.#parts.database.transaction((tx) => this.#isWanted(tx));
  }

  async #assertWanted(tx: Transaction): Promise<void> {
    if (!(await this.#isWanted(tx))) throw new HomeportError('script_aborted', 'The run was cancelled.');
  }

  async #fail(jobId: number, error: SyncRunError, abort: JobAborted['kind'] | undefined): Promise<void> {
    const { database, clock, syncJobsStore: syncJobs, notifications, connections } = this.#parts;
    const { sync, scriptType, operation } = this.#request;
    const reported = abort === undefined ? error : { message: this.#abortText(abort) };
    const isOwnFault = abort === undefined || abort === 'timeout' || abort === 'heartbeat';
    await database.transaction(async (tx) => {
      // Redacts the whole text first, because a secret may have several lines.
      const [firstLine = ''] = operation.redact(reported.message).split('\n');
      await syncJobs.stop(tx, jobId, isOwnFault ? firstLine : null, clock.now());
      // A sync that the end of the program interrupted runs again at the next start; a webhook does not.
      if (abort === 'shutdown' && scriptType === 'sync') return;
      const moment = { ...this.#moment(), endedAt: clock.now() };
      await notifications.notifySync(syncFailureOf(this.#request, moment, reported, abort !== undefined), tx);
      await this.#leaveQueue(tx);
      if (scriptType === 'sync' && isOwnFault)
        await connections.setError(tx, sync.connectionRowId, { type: 'sync', source: sync.id, logId: operation.id });
    });
    operation.finish(finalState(abort), { error: reported, meta: { checkpoints: this.#checkpoint.range } });
  }

  /**
   * Ends the job in the transaction that ends the run: a caller that reads the end can trigger the next run, and a
   * crash cannot repeat this one.
   */
  async #leaveQueue(tx: Transaction): Promise<void> {
    const { queuedJobId } = this.#request;
    if (queuedJobId !== undefined) await this.#parts.scheduler.complete(tx, queuedJobId);
  }

  /** As `#leaveQueue`, unless the run was cancelled or its sync is gone: then returns false and does nothing. */
  #leaveQueueWanted(tx: Transaction): Promise<boolean> {
    const { queuedJobId } = this.#request;
    return queuedJobId === undefined ? this.#isWanted(tx) : this.#parts.scheduler.completeWanted(tx, queuedJobId);
  }

  #abortKind(): JobAborted['kind'] | undefined {
    const { signal } = this.#request;
    if (!signal.aborted) return undefined;
    return signal.reason instanceof JobAborted ? signal.reason.kind : 'cancelled';
  }

  #abortText(abort: JobAborted['kind'] | undefined): string {
    if (abort === 'timeout') return 'The run exceeded its time limit.';
    if (abort === 'heartbeat') return 'The process of the run ended, or reported nothing for too long.';
    if (abort === 'shutdown') return 'Homeport was closed during the run.';
    return 'The run was cancelled.';
  }

  #moment(): { startedAt: number; checkpoints: CheckpointRange } {
    return { startedAt: this.#startedAt, checkpoints: this.#checkpoint.range };
  }
}

function finalState(abort: JobAborted['kind'] | undefined): FinalState {
  if (abort === undefined) return 'failed';
  return abort === 'timeout' || abort === 'heartbeat' ? 'timeout' : 'cancelled';
}

/** Facts of a run for outgoing webhooks. */
interface EventSource {
  sync: SyncRow;
  context: SyncContext;
  scriptType: 'sync' | 'webhook';
}

interface RunMoment {
  startedAt: number;
  checkpoints: CheckpointRange;
}

/** The events of a successful run: one per model, including models without changes. */
function successesOf(
  source: EventSource,
  moment: RunMoment,
  counts: Readonly<Record<string, ModelCounts>>,
): SyncEvent[] {
  return Object.entries(counts).map(([model, responseResults]) => ({
    ...factsOf(source, moment.checkpoints),
    success: true,
    model,
    responseResults,
    modifiedAfter: moment.startedAt,
  }));
}

/** The event of a failed run. The event of an aborted run names no model. */
export function syncFailureOf(
  source: EventSource,
  moment: RunMoment & { endedAt: number },
  error: SyncRunError,
  isAborted: boolean,
): SyncFailed {
  return {
    ...factsOf(source, moment.checkpoints),
    success: false,
    model: isAborted ? '' : source.context.definition.models.join(','),
    error,
    startedAt: moment.startedAt,
    failedAt: moment.endedAt,
  };
}

function factsOf(
  { sync, context, scriptType }: EventSource,
  checkpoints: CheckpointRange,
): Omit<SyncFailed, 'success' | 'model' | 'error' | 'startedAt' | 'failedAt'> {
  return {
    environmentId: sync.environmentId,
    connectionId: sync.connectionId,
    providerConfigKey: context.providerConfigKey,
    providerName: context.providerName,
    syncName: sync.name,
    syncVariant: sync.variant,
    syncType: scriptType === 'webhook' ? 'WEBHOOK' : sync.lastSyncDate === null ? 'INITIAL' : 'INCREMENTAL',
    ...(checkpoints.from === null && checkpoints.to === null
      ? {}
      : { checkpoints: { from: checkpoints.from, to: checkpoints.to } }),
  };
}
