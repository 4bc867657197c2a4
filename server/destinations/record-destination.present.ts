import type { RecordDestinationDetail, RecordDestinationView } from './destinations.contract.ts';
import type { RecordDestination, StreamProgress } from './destinations.service.ts';

const isoOf = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));

/** A destination without its secrets. */
export function presentRecordDestination(
  { progress, row, settings }: RecordDestination,
  now: number,
): RecordDestinationView {
  const { waiting, lag_seconds } = totalOf(progress, now);
  const { postgres } = settings;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    target: settings.target,
    schema: postgres?.schema ?? null,
    tls: postgres?.tls ?? null,
    ca_certificate: postgres?.certificate ?? null,
    deletions: postgres?.deletions ?? null,
    integrations: [...settings.integrations],
    models: [...settings.models],
    connections: [...settings.connections],
    state: row.isPaused ? 'paused' : row.failures > 0 ? 'failing' : waiting > 0 ? 'delivering' : 'up_to_date',
    waiting,
    lag_seconds,
    delivered: row.delivered,
    delivered_at: isoOrNull(row.deliveredAt),
    checked_at: isoOrNull(row.checkedAt),
    next_attempt_at: isoOrNull(row.nextAt),
    error:
      row.failures > 0 && row.failedAt !== null
        ? { code: row.errorCode ?? '', message: row.error ?? '', failures: row.failures, at: isoOf(row.failedAt) }
        : null,
    created_at: isoOf(row.createdAt),
  };
}

/** With the progress of each model. */
export function presentDestinationDetail(destination: RecordDestination, now: number): RecordDestinationDetail {
  const groups = Map.groupBy(destination.progress, ({ integrationKey, model }) =>
    JSON.stringify([integrationKey, model]),
  );
  return {
    ...presentRecordDestination(destination, now),
    progress: [...groups.values()].map((streams) => ({
      integration: streams[0]?.integrationKey ?? '',
      model: streams[0]?.model ?? '',
      connections: new Set(streams.map(({ connectionId }) => connectionId)).size,
      delivered: streams.reduce((sum, { delivered }) => sum + delivered, 0),
      ...totalOf(streams, now),
    })),
  };
}

function totalOf(progress: readonly StreamProgress[], now: number): { waiting: number; lag_seconds: number } {
  const oldest = progress.reduce((first, { oldestAt }) => Math.min(first, oldestAt ?? first), Number.POSITIVE_INFINITY);
  return {
    waiting: progress.reduce((sum, { waiting }) => sum + waiting, 0),
    lag_seconds: Number.isFinite(oldest) ? Math.max(0, Math.round(now - oldest / 1000) / 1000) : 0,
  };
}
