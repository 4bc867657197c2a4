import { formatMicros } from '../records/records.service.ts';
import type { DeliveredRecord, DeliveryStream } from './destination-target.ts';
import type { DeliveredStream } from './destinations.store.ts';

/** A change as files and addresses get it: the record's own text inside, with every digit. */
export function recordLine(stream: DeliveryStream, record: DeliveredRecord): string {
  const { connectionId, endUserId, integrationKey, model, variant } = stream;
  const about = JSON.stringify({
    integration: integrationKey,
    model,
    id: record.id,
    connection: connectionId,
    variant,
    end_user: endUserId,
    first_seen: formatMicros(record.createdAt),
    last_changed: formatMicros(record.updatedAt),
    deleted: record.isDeleted,
  });
  return `${about.slice(0, -1)},"tags":${stream.tags},"record":${record.payload ?? 'null'}}`;
}

/** Says that a backup of the hub was restored: changes after a stamp are not in it, and all others follow again. */
export const restoredLine = (stamp: number, at: string): string =>
  JSON.stringify({ restored: true, after: formatMicros(stamp), at });

/** Says that the hub no longer has any record of a model of a connection. */
export function emptiedLine({ connectionId, integrationKey, model, variant }: DeliveredStream, at: string): string {
  return JSON.stringify({ integration: integrationKey, model, connection: connectionId, variant, emptied: true, at });
}
