import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Operation } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { groupCalls } from '../platform/lib/grouped-calls.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { CheckpointSession, RecordSession } from '../records/records.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import { type RunnableSync, syncSuccessesOf } from './sync-events.ts';
import { type NewSyncJob, SyncJobsStore, SyncsStore } from './syncs.store.ts';

export interface SyncRunRequest extends RunnableSync {
  scriptType: 'sync' | 'webhook';
  operation: Operation;
  emptyCache: boolean;
  /** JSON text of a webhook's payload. */
  input?: string;
  /** Job of the scheduler; a run whose job was cancelled does not count as successful. */
  queuedJobId?: number | undefined;
  signal: AbortSignal;
}

export interface Run extends SyncRunRequest {
  startedAt: number;
  checkpoint: CheckpointSession;
}

/** A run whose function has ended well. */
interface Success {
  run: Run;
  jobId: number;
  counts: RecordSession['counts'];
}

/** Runs that share statements at most. */
const GROUPED_RUNS = 20;

/**
 * What runs read and store at their begin and at their success. Runs that begin or end together share the statements:
 * most of the time of a short statement is its way to SQLite's thread and back.
 */
export function createStoredRuns({
  clock,
  connections,
  database,
  notifications,
  scheduler,
}: {
  clock: Clock;
  connections: Pick<ConnectionsService, 'peekByRowId' | 'removeSyncErrors'>;
  database: Database;
  notifications: Pick<NotificationsService, 'notifySync'>;
  scheduler: Pick<Scheduler, 'completeWanted' | 'isWanted'>;
}) {
  const syncs = new SyncsStore();
  const syncJobs = new SyncJobsStore();
  const findSync = groupCalls(async (ids: string[]) => {
    const rows = new Map((await syncs.listUsed(database.reader, ids)).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id));
  }, GROUPED_RUNS);
  // No cache has what it writes, so it may share a commit.
  const begin = groupCalls(
    (jobs: NewSyncJob[]) => database.transaction((tx) => insert(tx, jobs), { shared: true }),
    GROUPED_RUNS,
  );
  const succeed = groupCalls(
    (ended: Success[]) => database.transaction((tx) => succeedAll(tx, ended), { shared: true }),
    GROUPED_RUNS,
  );

  async function insert(tx: Transaction, jobs: readonly NewSyncJob[]): Promise<number[]> {
    const ids = await syncJobs.insertMany(tx, jobs);
    // The last of several runs of a sync: a sync and its webhook handler may begin together.
    const latest = new Map(jobs.map(({ syncRowId }, index) => [syncRowId, ids[index] ?? 0]));
    await syncs.setLatestJobs(
      tx,
      [...latest].map(([rowId, jobId]) => ({ rowId, jobId })),
    );
    return ids;
  }

  /** Resolves to which of them were stored. */
  async function succeedAll(tx: Transaction, ended: readonly Success[]): Promise<boolean[]> {
    const wanted = await leaveQueueWanted(
      tx,
      ended.map(({ run }) => run),
    );
    const stored = ended.filter(({ run }) => wanted.has(run));
    const ofSyncs = stored.map(({ run }) => run).filter(({ scriptType }) => scriptType === 'sync');
    if (ofSyncs.length > 0)
      await syncs.setLastSyncDates(
        tx,
        ofSyncs.map(({ startedAt, sync }) => ({ rowId: sync.rowId, at: startedAt })),
      );
    if (stored.length > 0)
      await syncJobs.succeed(
        tx,
        stored.map(({ counts, jobId }) => ({ id: jobId, result: counts })),
        clock.now(),
      );
    for (const { counts, run } of stored) {
      const webhookUrlOverride = connections.peekByRowId(run.sync.connectionRowId)?.webhookUrlOverride;
      for (const event of syncSuccessesOf({ ...run, checkpoints: run.checkpoint.range }, counts))
        await notifications.notifySync(webhookUrlOverride === undefined ? event : { ...event, webhookUrlOverride }, tx);
    }
    await connections.removeSyncErrors(
      tx,
      ofSyncs.map(({ sync }) => ({ connectionRowId: sync.connectionRowId, syncId: sync.id })),
    );
    return ended.map(({ run }) => wanted.has(run));
  }

  /** A cancellation is stored shortly before its signal arrives; the run must not write in between. */
  async function isWanted(tx: Transaction, { queuedJobId, sync }: SyncRunRequest): Promise<boolean> {
    if (queuedJobId === undefined) return (await syncs.find(tx, sync.id)) !== undefined;
    return scheduler.isWanted(tx, queuedJobId);
  }

  /**
   * Ends the jobs in the transaction that ends the runs: a caller that reads the end can trigger the next run, and a
   * crash cannot repeat this one. Resolves to the runs that were not cancelled, and whose syncs are there.
   */
  async function leaveQueueWanted(tx: Transaction, ended: readonly Run[]): Promise<Set<Run>> {
    const queued = ended.flatMap(({ queuedJobId }) => queuedJobId ?? []);
    const completed = queued.length > 0 ? await scheduler.completeWanted(tx, queued) : new Set<number>();
    const wanted = new Set<Run>();
    for (const run of ended)
      if (run.queuedJobId === undefined ? await isWanted(tx, run) : completed.has(run.queuedJobId)) wanted.add(run);
    return wanted;
  }

  return { findSync, begin, insert, succeed, isWanted };
}
