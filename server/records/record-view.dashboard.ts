import type { RecordDetail, RecordListItem, ShownRecordAction } from './dashboard-records.contract.ts';

/** `_nango_metadata` as the records service writes it. */
export interface RecordViewMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: ShownRecordAction;
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
}

const METADATA = '"_nango_metadata":';
const PREVIEW_MEMBERS = 5;
const PREVIEW_TEXT = 120;

/** Splits the record's own text from its metadata, which comes last. The payload is not parsed. */
export function splitRecord(json: string): { text: string; metadata: RecordViewMetadata } {
  const at = json.lastIndexOf(METADATA);
  return { text: json.slice(0, at), metadata: JSON.parse(json.slice(at + METADATA.length, -1)) as RecordViewMetadata };
}

/** `fields` are the members in the preview. Default: the first five simple ones. */
export function viewRecord(id: string, json: string, fields?: readonly string[]): RecordListItem {
  const { _nango_metadata: metadata, ...payload } = JSON.parse(json) as {
    _nango_metadata: RecordViewMetadata;
    [member: string]: unknown;
  };
  return { ...shared(id, metadata), preview: fields ? previewOf(payload, fields) : preview(payload) };
}

export function viewRecordDetail(id: string, json: string): RecordDetail {
  const { _nango_metadata: metadata, ...payload } = JSON.parse(json) as {
    _nango_metadata: RecordViewMetadata;
    [member: string]: unknown;
  };
  return {
    ...shared(id, metadata),
    payload: metadata.pruned_at === null ? withoutDeletionMark(payload, metadata) : null,
  };
}

function shared(id: string, metadata: RecordViewMetadata): Omit<RecordListItem, 'preview'> {
  return {
    id,
    action: metadata.last_action,
    firstSeenAt: metadata.first_seen_at,
    modifiedAt: metadata.last_modified_at,
    deletedAt: metadata.deleted_at,
    cursor: metadata.cursor,
  };
}

function previewOf(payload: Record<string, unknown>, fields: readonly string[]): RecordListItem['preview'] {
  return Object.fromEntries(fields.map((name) => [name, Object.hasOwn(payload, name) ? shorten(payload[name]) : null]));
}

function shorten(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, PREVIEW_TEXT);
}

function preview(payload: Record<string, unknown>): RecordListItem['preview'] {
  // A member that is null in this row keeps its column, so that all rows of a model have the same columns.
  const simple = Object.entries(payload).filter(
    ([name, value]) => name !== 'id' && (value === null || ['string', 'number', 'boolean'].includes(typeof value)),
  );
  return Object.fromEntries(
    simple
      .slice(0, PREVIEW_MEMBERS)
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(0, PREVIEW_TEXT) : (value as number | boolean | null),
      ]),
  );
}

/** Removes the deletion mark that the change stream adds; it is not part of the record. */
function withoutDeletionMark(payload: Record<string, unknown>, metadata: RecordViewMetadata): Record<string, unknown> {
  const { _metadata: own, ...rest } = payload;
  if (own === undefined || metadata.deleted_at === null) return payload;
  const { deleted: _deleted, ...kept } = own as Record<string, unknown>;
  return Object.keys(kept).length > 0 ? { ...rest, _metadata: kept } : rest;
}
