import type { Transaction } from '../../database/database.ts';
import type { SyncRow } from '../../stores/syncs-store.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { FunctionTriggers, SyncTrigger } from '../deployments/function-triggers.ts';

/** What a schedule needs to know of a deployed sync. */
export interface SyncDefinition {
  name: string;
  /** Declared models in order. */
  models: string[];
  type: 'full' | 'incremental';
  /** As the author wrote it (`every hour`). */
  frequency: string;
  autoStart: boolean;
  trackDeletes: boolean;
}

export interface ScheduledSyncRef {
  name: string;
  variant: string;
}

/** A connection for which syncs are created. */
export interface SyncOwner {
  environmentId: number;
  integrationId: number;
  connectionRowId: number;
  connectionId: string;
}

export const BASE_VARIANT = 'base';

/** Job kind of a sync run. */
export const SYNC_RUN = 'sync-run';

/** Payload of a `sync-run` job. */
export interface SyncRunPayload {
  syncId: string;
  emptyCache: boolean;
  /** Who asked: `schedule`, `api`, … */
  trigger: string;
}

/** Checkpoints of a sync and its markers of deletion tracking are kept under this key. */
export function checkpointKeyOf(sync: ScheduledSyncRef): string {
  return `sync:${sync.name}:${sync.variant}`;
}

/** A webhook handler has a checkpoint of its own; it always belongs to the base variant. */
export function webhookCheckpointKeyOf(sync: Pick<ScheduledSyncRef, 'name'>): string {
  return `webhook:${sync.name}:${BASE_VARIANT}`;
}

export function toSyncDefinition(definition: SyncTrigger): SyncDefinition {
  return {
    name: definition.name,
    models: definition.output,
    type: definition.sync_type,
    frequency: definition.runs,
    autoStart: definition.auto_start,
    trackDeletes: definition.track_deletes,
  };
}

/** Syncs of the integration that are live and enabled. */
export async function listDefinitions(
  { triggers }: { triggers: Pick<FunctionTriggers, 'listSyncs'> },
  environmentId: number,
  providerConfigKey: string,
): Promise<SyncDefinition[]> {
  return (await triggers.listSyncs(environmentId, providerConfigKey)).map(toSyncDefinition);
}

/** Clears the active errors of syncs that no longer run. */
export function removeErrors(
  { connections }: { connections: Pick<ConnectionsService, 'removeSyncErrors'> },
  tx: Transaction,
  gone: SyncRow[],
): Promise<void> {
  const syncs = gone.map(({ connectionRowId, id: syncId }) => ({ connectionRowId, syncId }));
  return connections.removeSyncErrors(tx, syncs);
}
