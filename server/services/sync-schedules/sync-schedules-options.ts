import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { SyncRow, SyncsStore } from '../../stores/syncs-store.ts';
import type { OperationLog } from '../logs/operation.ts';
import type { RecordsService } from '../records/records-service.ts';
import type { SyncDefinition } from './scheduled-sync.ts';

/** What stands above or beside this service comes in as functions. */
export interface SyncSchedulesOptions {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: OperationLog;
  scheduler: Scheduler;
  records: RecordsService;
  findIntegration(environmentId: number, providerConfigKey: string): Promise<{ id: number } | undefined>;
  findConnection(integrationId: number, connectionId: string): Promise<{ id: number } | undefined>;
  /** Syncs of the integration that are live and enabled. */
  listDefinitions(environmentId: number, providerConfigKey: string): Promise<SyncDefinition[]>;
  /** Clears the active errors of syncs that no longer run. */
  onSyncsGone(tx: Writable, syncs: SyncRow[]): Promise<void>;
}

export interface SyncParts extends SyncSchedulesOptions {
  syncs: SyncsStore;
}
