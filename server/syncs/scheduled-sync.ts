import type { ConnectionsService } from '../connections/connections.service.ts';
import type { FunctionTriggers, SyncTrigger } from '../functions/deployments/function-triggers.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { SyncRow } from './syncs.store.ts';

/** The part of a deployed sync that schedules need. */
export interface SyncDefinition {
  name: string;
  /** Declared models, in their order. */
  models: string[];
  type: 'full' | 'incremental';
  /** The author's text, such as `every hour`. */
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

/** The key under which checkpoints of a sync and its markers for deletion tracking are stored. */
export function checkpointKeyOf(sync: ScheduledSyncRef): string {
  return `sync:${sync.name}:${sync.variant}`;
}

/** The key of a webhook handler's own checkpoint, which always belongs to the base variant. */
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

/** Live and enabled syncs of the integration. */
export async function listDefinitions(
  triggers: Pick<FunctionTriggers, 'listSyncs'>,
  environmentId: number,
  providerConfigKey: string,
): Promise<SyncDefinition[]> {
  return (await triggers.listSyncs(environmentId, providerConfigKey)).map(toSyncDefinition);
}

/** Clears the active errors of syncs that no longer run. */
export function removeErrors(
  connections: Pick<ConnectionsService, 'removeSyncErrors'>,
  tx: Transaction,
  gone: SyncRow[],
): Promise<void> {
  const syncs = gone.map(({ connectionRowId, id: syncId }) => ({ connectionRowId, syncId }));
  return connections.removeSyncErrors(tx, syncs);
}
