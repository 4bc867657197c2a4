import { hash } from 'node:crypto';
import type { StreamRow } from '../../stores/record-streams-store.ts';
import type { RecordRow } from '../../stores/records-store.ts';
import { encodeCursor } from './record-cursor.ts';
import { type RecordSealer, sealContext } from './record-sealer.ts';
import { formatMicros } from './record-time.ts';

export interface PresentedRecord {
  id: string;
  /** The record's JSON text with its metadata. */
  json: string;
  cursor: string;
}

/** The same record keeps its internal id for ever: it is made of what identifies the record. */
export function internalId(
  stream: Pick<StreamRow, 'connectionRowId' | 'model' | 'variant'>,
  externalId: string,
): string {
  const digest = hash(
    'sha1',
    JSON.stringify([stream.connectionRowId, stream.model, stream.variant, externalId]),
    'hex',
  );
  const variantDigit = '89ab'.charAt(Number.parseInt(digest.charAt(16), 16) & 3);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variantDigit}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/** Opens a row and adds its metadata as text: the payload is not parsed, except where both sides have `_metadata`. */
export function presentRecord(stream: StreamRow, row: RecordRow, sealer: RecordSealer): PresentedRecord {
  const cursor = encodeCursor(row.updatedAt, internalId(stream, row.externalId));
  const payload =
    row.sealed === null
      ? JSON.stringify({ id: row.externalId })
      : sealer.open(row.sealed, sealContext(stream.id, row.externalId));
  const marked = row.deletedAt === null ? payload : withDeletionMark(payload);
  return { id: row.externalId, json: append(marked, `"_nango_metadata":${metadata(row, cursor)}`), cursor };
}

function metadata(row: RecordRow, cursor: string): string {
  return JSON.stringify({
    first_seen_at: formatMicros(row.createdAt),
    last_modified_at: formatMicros(row.updatedAt),
    last_action: lastAction(row),
    deleted_at: row.deletedAt === null ? null : formatMicros(row.deletedAt),
    pruned_at: row.prunedAt === null ? null : formatMicros(row.prunedAt),
    cursor,
  });
}

export type LastAction = 'ADDED' | 'UPDATED' | 'DELETED';

export function lastAction(row: Pick<RecordRow, 'createdAt' | 'updatedAt' | 'deletedAt'>): LastAction {
  if (row.deletedAt !== null) return 'DELETED';
  return row.createdAt === row.updatedAt ? 'ADDED' : 'UPDATED';
}

function withDeletionMark(payload: string): string {
  if (!payload.includes('"_metadata"')) return append(payload, '"_metadata":{"deleted":true}');
  const record = JSON.parse(payload) as Record<string, unknown>;
  const own = record['_metadata'];
  record['_metadata'] = { ...(typeof own === 'object' && own !== null ? own : {}), deleted: true };
  return JSON.stringify(record);
}

/** Adds a member to the text of an object that has at least one. */
function append(object: string, member: string): string {
  return `${object.slice(0, -1)},${member}}`;
}
