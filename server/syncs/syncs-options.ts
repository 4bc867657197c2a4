import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { CheckpointSession, RecordSession, RecordsService } from '../records/records.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import type { SyncRunError } from '../webhooks-out/payloads.ts';
import type { SyncExecutor } from './sync-executor.ts';
import type { SyncJobsStore } from './sync-jobs.store.ts';
import type { SyncDefinition } from './sync-schedules.service.ts';
import type { SyncRow, SyncsStore } from './syncs.store.ts';

/** The connection and function of a sync when it runs. */
export interface SyncContext {
  providerConfigKey: string;
  providerName: string;
  definition: SyncDefinition;
}

/** One execution, ready to start. */
export interface SyncExecution {
  sync: SyncRow;
  context: SyncContext;
  scriptType: 'sync' | 'webhook';
  /** Generation of the run. */
  jobId: number;
  operation: Operation;
  /** Milliseconds; absent on a first run, after a reset and in webhook runs. */
  lastSyncDate?: number;
  emptyCache: boolean;
  records: RecordSession;
  checkpoint: CheckpointSession;
  /** JSON text of a webhook's payload. */
  input?: string;
  /** Ends the run at once. */
  signal: AbortSignal;
}

/** `isLost`: the process that ran the function ended, or reported nothing for too long. */
export type SyncExecutionOutcome = { ok: true } | { ok: false; error: SyncRunError; isLost?: boolean };

export interface SyncEvents {
  /** The state, schedule or last run of a sync changed. */
  sync: {
    environmentId: number;
    integrationKey: string;
    connectionId: string;
    sync: string;
    variant: string;
    /**
     * Present when a run has ended: `success` for a successful run of the sync, `other` for a failure or a webhook's
     * run.
     */
    end?: 'success' | 'other';
  };
}

export interface SyncsOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  log: OperationLog;
  records: RecordsService;
  /** Ends the job of a run in the transaction that ends the run. */
  scheduler: Pick<Scheduler, 'complete' | 'completeWanted' | 'isWanted' | 'patch'>;
  executor: Pick<SyncExecutor, 'findContext' | 'execute'>;
  vault: Pick<Vault, 'assertUnlocked'>;
  /** Enqueues webhooks in the transaction that ends the run. */
  notifications: Pick<NotificationsService, 'notifySync'>;
  /** Marks a connection whose sync failed, and removes the mark, in that transaction; has its webhook address. */
  connections: Pick<ConnectionsService, 'setError' | 'removeSyncErrors' | 'peekByRowId'>;
  /** Emitted when a run starts or ends. */
  events: EventSink<SyncEvents>;
}

export interface SyncRunDeps extends SyncsOptions {
  syncsStore: SyncsStore;
  syncJobsStore: SyncJobsStore;
}
