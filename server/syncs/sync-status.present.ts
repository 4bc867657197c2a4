import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { SyncStatus } from './sync-schedules.service.ts';

/** One sync of `GET /sync/status` (syncs-and-records.md 1.8). */
export function presentSyncStatus(status: SyncStatus): Record<string, unknown> {
  const { latestRun } = status;
  return {
    id: status.id,
    connection_id: status.connectionId,
    name: status.name,
    variant: status.variant,
    type: status.type,
    status: status.status,
    ...(latestRun === null || latestRun.finishedAt === null ? {} : { finishedAt: isoDate(latestRun.finishedAt) }),
    nextScheduledSyncAt: isoDateOrNull(status.nextRunAt),
    frequency: status.frequency,
    ...(latestRun === null ? {} : { latestResult: latestRun.result, latestExecutionStatus: latestRun.status }),
    recordCount: status.recordCount,
    checkpoint: status.checkpoint,
  };
}
