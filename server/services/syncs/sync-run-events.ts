import type { SyncRow } from '../../stores/syncs-store.ts';
import type { SyncEvent, SyncFailed, SyncRunError } from '../notifications/sync-event.ts';
import type { CheckpointRange, ModelCounts } from '../records/records-service.ts';
import type { SyncPlace } from './syncs-options.ts';

/** What outgoing webhooks are told of a run. */
interface EventSource {
  sync: SyncRow;
  place: SyncPlace;
  scriptType: 'sync' | 'webhook';
}

interface RunMoment {
  startedAt: number;
  checkpoints: CheckpointRange;
}

/** One event per model, those without changes included. */
export function successesOf(
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

/** A run that was cancelled or expired names no model. */
export function failureOf(
  source: EventSource,
  moment: RunMoment & { endedAt: number },
  error: SyncRunError,
  isAborted: boolean,
): SyncFailed {
  return {
    ...factsOf(source, moment.checkpoints),
    success: false,
    model: isAborted ? '' : source.place.definition.models.join(','),
    error,
    startedAt: moment.startedAt,
    failedAt: moment.endedAt,
  };
}

function factsOf(
  { sync, place, scriptType }: EventSource,
  checkpoints: CheckpointRange,
): Omit<SyncFailed, 'success' | 'model' | 'error' | 'startedAt' | 'failedAt'> {
  return {
    environmentId: sync.environmentId,
    connectionId: sync.connectionId,
    providerConfigKey: place.providerConfigKey,
    providerName: place.providerName,
    syncName: sync.name,
    syncVariant: sync.variant,
    syncType: scriptType === 'webhook' ? 'WEBHOOK' : sync.lastSyncDate === null ? 'INITIAL' : 'INCREMENTAL',
    ...(checkpoints.from === null && checkpoints.to === null
      ? {}
      : { checkpoints: { from: checkpoints.from, to: checkpoints.to } }),
  };
}
