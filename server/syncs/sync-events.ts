import type { CheckpointRange, ModelCounts } from '../records/records.service.ts';
import type { SyncEvent, SyncFailed, SyncRunError } from '../webhooks-out/payloads.ts';
import type { SyncDefinition } from './scheduled-sync.ts';
import type { SyncRow } from './syncs.store.ts';

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

/** A sync with its connection's integration and its function. */
export interface RunnableSync {
  sync: SyncRow;
  integrationKey: string;
  provider: string;
  definition: SyncDefinition;
}

/** A run for outgoing webhooks. */
interface ReportedRun extends RunnableSync {
  scriptType: 'sync' | 'webhook';
  startedAt: number;
  checkpoints: CheckpointRange;
}

/** The events of a successful run: one per model, including models without changes. */
export function syncSuccessesOf(run: ReportedRun, counts: Readonly<Record<string, ModelCounts>>): SyncEvent[] {
  return Object.entries(counts).map(([model, responseResults]) => ({
    ...factsOf(run),
    success: true,
    model,
    responseResults,
    modifiedAfter: run.startedAt,
  }));
}

/** The event of a failed run. The event of an aborted run names no model. */
export function syncFailureOf(
  run: ReportedRun,
  { error, failedAt, isAborted }: { error: SyncRunError; failedAt: number; isAborted: boolean },
): SyncFailed {
  return {
    ...factsOf(run),
    success: false,
    model: isAborted ? '' : run.definition.models.join(','),
    error,
    startedAt: run.startedAt,
    failedAt,
  };
}

function factsOf({ sync, integrationKey, provider, scriptType, checkpoints: { from, to } }: ReportedRun) {
  return {
    environmentId: sync.environmentId,
    connectionId: sync.connectionId,
    providerConfigKey: integrationKey,
    providerName: provider,
    syncName: sync.name,
    syncVariant: sync.variant,
    syncType: scriptType === 'webhook' ? 'WEBHOOK' : sync.lastSyncDate === null ? 'INITIAL' : 'INCREMENTAL',
    ...(from === null && to === null ? {} : { checkpoints: { from, to } }),
  } as const;
}
