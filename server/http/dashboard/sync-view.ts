import type { SyncRow } from '../../contract/dashboard/dashboard-syncs.ts';
import type { SyncStatus } from '../../services/sync-schedules/sync-schedules-service.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';

export function viewSync(sync: SyncStatus): SyncRow {
  const { latestRun } = sync;
  return {
    name: sync.name,
    variant: sync.variant,
    models: sync.models,
    status: sync.status,
    scheduleStatus: sync.scheduleStatus,
    frequency: sync.frequency,
    lastRun: latestRun && {
      operationId: latestRun.logId,
      startedAt: isoDate(latestRun.startedAt),
      finishedAt: isoDateOrNull(latestRun.finishedAt),
      error: latestRun.error,
    },
    nextRunAt: isoDateOrNull(sync.nextRunAt),
    recordCount: sync.recordCount,
    latestResult: latestRun?.finishedAt == null ? {} : latestRun.result,
    checkpoint: sync.checkpoint,
  };
}
