import type { ConnectionsService } from '../connections/connections.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { hubFailureOf, type RunsService, toRunError } from '../functions/runs/runs.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { FinalState } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import { RUN_TIMEOUT_MS } from '../platform/sandbox/run-limits.ts';
import { JobAborted } from '../platform/scheduler/job-kind.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { RecordSession, RecordsService } from '../records/records.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import type { SyncRunError } from '../webhooks-out/payloads.ts';
import { checkpointKeyOf, toSyncDefinition, webhookCheckpointKeyOf } from './scheduled-sync.ts';
import { createStoredRuns, type Run, type SyncRunRequest } from './stored-runs.ts';
import { type RunnableSync, type SyncEvents, syncFailureOf } from './sync-events.ts';
import { type NewSyncJob, SyncJobsStore } from './syncs.store.ts';

export interface SyncRunDeps {
  database: Database;
  clock: Clock;
  records: RecordsService;
  /** Ends the job of a run in the transaction that ends the run. */
  scheduler: Pick<Scheduler, 'complete' | 'completeWanted' | 'isWanted' | 'patch'>;
  environments: Pick<EnvironmentService, 'find'>;
  integrations: Pick<IntegrationsService, 'find'>;
  /** Marks a connection whose sync failed, and removes the mark, in that transaction; has its webhook address. */
  connections: Pick<ConnectionsService, 'findByRowId' | 'setError' | 'removeSyncErrors' | 'peekByRowId'>;
  deployments: Pick<DeploymentsService, 'findActive'> & { triggers: Pick<DeploymentsService['triggers'], 'findSync'> };
  runs: Pick<RunsService, 'execute'>;
  vault: Pick<Vault, 'assertUnlocked'>;
  /** Enqueues webhooks in that transaction. */
  notifications: Pick<NotificationsService, 'notifySync'>;
  /** Emitted when a run starts or ends. */
  events: EventSink<SyncEvents>;
}

type AbortKind = JobAborted['kind'];

/** `isLost`: the process that ran the function ended, or reported nothing for too long. */
type Outcome = { ok: true } | { ok: false; error: SyncRunError; isLost?: boolean };

const WEBHOOK_START_WITHIN_MS = 5 * 60_000;

/** Runs of syncs and of their webhook handlers, in the order of syncs-and-records.md 1.14. */
export function createSyncRuns({
  database,
  clock,
  records,
  scheduler,
  environments,
  integrations,
  connections,
  deployments,
  runs,
  vault,
  notifications,
  events,
}: SyncRunDeps) {
  const syncJobs = new SyncJobsStore();
  const stored = createStoredRuns({ clock, connections, database, notifications, scheduler });
  /** Undefined when the sync, its connection or its function is gone or switched off. */
  async function find(syncId: string): Promise<RunnableSync | undefined> {
    const sync = await stored.findSync(syncId);
    const connection = sync && (await connections.findByRowId(sync.connectionRowId));
    if (!connection) return undefined;
    const { integrationKey, provider } = connection;
    const found = await deployments.triggers.findSync(sync.environmentId, integrationKey, sync.name);
    return found && { sync, integrationKey, provider, definition: toSyncDefinition(found) };
  }

  /**
   * Resolves to whether the run succeeded; its end is then stored. Rejects with `vault_locked`, and when the end could
   * not be stored. The operation is finished in each case.
   */
  async function run(request: SyncRunRequest): Promise<boolean> {
    const { sync, scriptType, operation } = request;
    try {
      const checkpoint = records.openCheckpoint({
        connectionRowId: sync.connectionRowId,
        key: scriptType === 'sync' ? checkpointKeyOf(sync) : webhookCheckpointKeyOf(sync),
        assertWanted: (tx) => assertWanted(tx, request),
      });
      const begun: Run = { ...request, startedAt: clock.now(), checkpoint };
      const jobId = await begin(begun);
      emitChange(begun, {});
      let hasSucceeded = false;
      try {
        hasSucceeded = await finish(begun, jobId);
        return hasSucceeded;
      } finally {
        emitChange(begun, { end: hasSucceeded && scriptType === 'sync' ? 'success' : 'other' });
      }
    } catch (error) {
      if (isVaultLocked(error)) operation.finish('cancelled', { message: lockedVaultText(scriptType) });
      else operation.finish('failed', hubFailureOf(error));
      throw error;
    }
  }

  function emitChange({ sync, integrationKey }: Run, change: { end?: 'success' | 'other' }): void {
    const { connectionId, environmentId, name, variant } = sync;
    events.emit('sync', { environmentId, integrationKey, connectionId, sync: name, variant, ...change });
  }

  /** The job is stored before any data of the run; emptying the cache is part of the same transaction. */
  function begin({
    sync,
    definition,
    scriptType,
    emptyCache,
    operation,
    queuedJobId,
    startedAt,
  }: Run): Promise<number> {
    const isIncremental = scriptType === 'webhook' || (definition.type === 'incremental' && sync.lastSyncDate !== null);
    const job: NewSyncJob = {
      syncRowId: sync.rowId,
      type: isIncremental ? 'INCREMENTAL' : 'FULL',
      logId: operation.id,
      createdAt: startedAt,
    };
    if (!emptyCache) return stored.begin(job);
    // Emptying is not shared with other transactions: readers use caches that are invalidated only by its commit.
    return database.transaction(async (tx) => {
      const [jobId = 0] = await stored.insert(tx, [job]);
      const streams = definition.models.map((model) => ({ ...sync, model }));
      await records.empty(tx, streams);
      // A run that is repeated after the end of the program continues from its checkpoint, with the records that it saved.
      if (queuedJobId !== undefined) await scheduler.patch(tx, queuedJobId, { emptyCache: false });
      return jobId;
    });
  }

  async function finish(run: Run, jobId: number): Promise<boolean> {
    const session = openRecords(run, jobId);
    const outcome = await execute(run, jobId, session);
    const ended = abortKindOf(run.signal) ?? (!outcome.ok && outcome.isLost ? 'heartbeat' : undefined);
    // A write that a cancellation refused can end the run before the signal arrives.
    const isCancelled = async () => !outcome.ok && !(await database.transaction((tx) => stored.isWanted(tx, run)));
    const abort = ended ?? ((await isCancelled()) ? 'cancelled' : undefined);
    try {
      if (outcome.ok && abort === undefined && (await succeed(run, jobId, session))) return true;
      // The run may have failed because the vault is locked, which is not the function's fault.
      if (!outcome.ok && abort === undefined) vault.assertUnlocked();
      if (outcome.ok) await fail(run, jobId, { message: abortText(abort) }, abort ?? 'cancelled');
      else await fail(run, jobId, outcome.error, abort);
      return false;
    } catch (error) {
      if (isVaultLocked(error)) await database.transaction((tx) => syncJobs.stop(tx, jobId, null, clock.now()));
      throw error;
    }
  }

  function openRecords(run: Run, jobId: number): RecordSession {
    const { sync, definition, operation, scriptType, checkpoint } = run;
    return records.openRecords({
      connectionRowId: sync.connectionRowId,
      variant: sync.variant,
      jobId,
      findGeneration: async (tx) =>
        // A run that continued from a checkpoint saves only the rest: what the failed runs before it saved is seen too.
        scriptType === 'sync' && checkpoint.range.from !== null
          ? syncJobs.findFirstSince(tx, sync.rowId, sync.lastSyncDate)
          : jobId,
      operationId: operation.id,
      models: definition.models,
      checkpointKey: checkpointKeyOf(sync),
      assertWanted: (tx) => assertWanted(tx, run),
      onCounts: (tx, counts) => syncJobs.updateResult(tx, jobId, counts, clock.now()),
    });
  }

  async function execute(run: Run, jobId: number, session: RecordSession): Promise<Outcome> {
    try {
      const outcome = await callFunction(run, jobId, session);
      if (outcome.ok && run.scriptType === 'sync' && run.definition.trackDeletes && !run.signal.aborted)
        await deleteMissing(run, session);
      return outcome;
    } catch (error) {
      return { ok: false, error: { message: error instanceof Error ? error.message : String(error) } };
    }
  }

  async function callFunction(run: Run, jobId: number, session: RecordSession): Promise<Outcome> {
    const { sync, integrationKey, scriptType, operation, signal, checkpoint, input } = run;
    const environment = environments.find(sync.environmentId);
    const integration = await integrations.find(sync.environmentId, integrationKey);
    const connection = await connections.findByRowId(sync.connectionRowId);
    const deployed = await deployments.findActive(sync.environmentId, integrationKey, 'sync', sync.name);
    if (!environment || !integration || !connection || !deployed)
      return { ok: false, error: { message: 'The connection or the function was removed before the run began.' } };
    const outcome = await runs.execute({
      environment,
      integration,
      connection,
      deployed,
      scriptType,
      operation,
      timeoutMs: RUN_TIMEOUT_MS[scriptType],
      // A sync has already waited in the job queue, so it needs no limit for the wait in the sandbox.
      ...(scriptType === 'webhook' ? { startWithinMs: WEBHOOK_START_WITHIN_MS } : {}),
      signal,
      checkpoint,
      ...(input === undefined ? {} : { input }),
      sync: {
        syncId: sync.id,
        syncJobId: jobId,
        variant: sync.variant,
        trackDeletes: run.definition.trackDeletes,
        emptyCache: run.emptyCache,
        records: session,
        // Null on a first run and after a reset; a webhook's run has none.
        ...(scriptType === 'sync' && sync.lastSyncDate !== null
          ? { lastSyncDate: new Date(sync.lastSyncDate).toISOString() }
          : {}),
      },
    });
    if (outcome.ok) return { ok: true };
    const error = toRunError(outcome.failure, sync.name, `${scriptType}_script_failure`);
    return { ok: false, error: toSyncError(error), isLost: outcome.failure.kind === 'worker_lost' };
  }

  async function deleteMissing({ definition, operation }: Run, session: RecordSession): Promise<void> {
    for (const model of definition.models) {
      const { deletedKeys } = await session.deleteFromPreviousExecutions(model);
      operation.log({
        level: 'warn',
        message: `trackDeletes: ${deletedKeys.length} records of ${model} were not saved by this run and are deleted.`,
      });
    }
  }

  /** Resolves to false when the run was cancelled at the last moment; nothing was stored then. */
  async function succeed(run: Run, jobId: number, { counts }: RecordSession): Promise<boolean> {
    if (!(await stored.succeed({ run, jobId, counts }))) return false;
    run.operation.finish('success', { meta: { result: counts, checkpoints: run.checkpoint.range } });
    return true;
  }

  async function fail(run: Run, jobId: number, error: SyncRunError, abort: AbortKind | undefined): Promise<void> {
    const { sync, scriptType, operation, checkpoint, queuedJobId } = run;
    const reported = abort === undefined ? error : { message: abortText(abort) };
    const isOwnFault = abort === undefined || abort === 'timeout' || abort === 'heartbeat';
    await database.transaction(async (tx) => {
      // Redacts the whole text first, because a secret may have several lines.
      const [firstLine = ''] = operation.redact(reported.message).split('\n');
      await syncJobs.stop(tx, jobId, isOwnFault ? firstLine : null, clock.now());
      // A sync that the end of the program interrupted runs again at the next start; a webhook does not.
      if (abort === 'shutdown' && scriptType === 'sync') return;
      const end = { error: reported, failedAt: clock.now(), isAborted: abort !== undefined };
      await notifications.notifySync(syncFailureOf({ ...run, checkpoints: checkpoint.range }, end), tx);
      if (queuedJobId !== undefined) await scheduler.complete(tx, queuedJobId);
      if (scriptType === 'sync' && isOwnFault)
        await connections.setError(tx, sync.connectionRowId, { type: 'sync', source: sync.id, logId: operation.id });
    });
    operation.finish(finalState(abort), { error: reported, meta: { checkpoints: checkpoint.range } });
  }

  async function assertWanted(tx: Transaction, request: SyncRunRequest): Promise<void> {
    if (!(await stored.isWanted(tx, request))) throw new HomeportError('script_aborted', 'The run was cancelled.');
  }

  return { find, run };
}

/** The queue repeats runs of syncs, but not those of webhooks. */
function lockedVaultText(scriptType: 'sync' | 'webhook'): string {
  const rest = scriptType === 'sync' ? ' It starts again when the vault is unlocked.' : '';
  return `The vault was locked during the run.${rest}`;
}

/** The error in the form that webhooks use, with the provider's response if that made the run fail. */
function toSyncError({ message, code, payload, members }: HomeportError): SyncRunError {
  const upstream = members?.['upstream'];
  return {
    message,
    type: code,
    payload,
    ...(upstream === undefined ? {} : { additionalProperties: { upstream_response: upstream } }),
  };
}

function abortKindOf(signal: AbortSignal): AbortKind | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof JobAborted ? signal.reason.kind : 'cancelled';
}

function abortText(abort: AbortKind | undefined): string {
  if (abort === 'timeout') return 'The run exceeded its time limit.';
  if (abort === 'heartbeat') return 'The process of the run ended, or reported nothing for too long.';
  if (abort === 'shutdown') return 'Homeport was closed during the run.';
  return 'The run was cancelled.';
}

function finalState(abort: AbortKind | undefined): FinalState {
  if (abort === undefined) return 'failed';
  return abort === 'timeout' || abort === 'heartbeat' ? 'timeout' : 'cancelled';
}
