import { isJsonObject } from '../platform/lib/json-object.ts';
import { OWN_COLUMNS } from '../queries/engine/model-columns.ts';

/** What a row of a file says about a record. */
export type RowMeaning =
  | { kind: 'save' | 'delete'; id: unknown; record: Record<string, unknown>; isOfView?: true }
  /** A row without contents of the record: pruned, an older version, or of a connection that is not wanted. */
  | { kind: 'skip' }
  | { kind: 'problem'; column: string | null; message: string };

/** Members of a row of the dashboard's exports, beside `payload` or the members of the record. */
export const EXPORT_MEMBERS = ['action', 'firstSeenAt', 'modifiedAt', 'deletedAt', 'cursor'];
/** Holds members of a record that the columns of a CSV export do not have. */
export const MORE_COLUMN = 'more';
/** Columns that only a row of a view has (http-api.md 11.1). */
const VIEW_MARKS = ['_connection', '_last_changed'];

/**
 * Recognises the forms in which records leave Homeport: `GET /records`, the exports of the dashboard, rows of the views
 * of SQL and snapshots. Any other object is a record itself.
 */
export function createRowReader({ fromConnection }: { fromConnection: string | undefined }) {
  let source: string | undefined;

  function ofView(row: Record<string, unknown>): RowMeaning {
    const { _connection: connection, _variant: variant, _id, _record, valid_to: validTo } = row;
    if (fromConnection !== undefined && connection !== fromConnection) return { kind: 'skip' };
    // The table of a history has the current version too.
    if (validTo !== undefined && validTo !== null) return { kind: 'skip' };
    const from = `${connection}${variant === 'base' || variant === undefined ? '' : ` (variant ${variant})`}`;
    source ??= from;
    if (source !== from)
      return {
        kind: 'problem',
        column: '_connection',
        message: `is ${from}, and earlier rows are of ${source}: choose the rows of one connection`,
      };
    const record = isJsonObject(_record) ? _record : without(row, OWN_COLUMNS);
    return {
      kind: row['_deleted'] === true || row['_deleted'] === 'true' ? 'delete' : 'save',
      id: record['id'] ?? _id,
      record,
      isOfView: true,
    };
  }

  return (row: Record<string, unknown>): RowMeaning => {
    const { _nango_metadata: metadata, ...members } = row;
    if (isJsonObject(metadata)) {
      const { _metadata: mark, ...record } = members;
      if (metadata['last_action'] === 'DELETED') return { kind: 'delete', id: row['id'], record };
      if (typeof metadata['pruned_at'] === 'string') return { kind: 'skip' };
      return { kind: 'save', id: row['id'], record: members };
    }
    if (VIEW_MARKS.every((name) => name in row)) return ofView(row);
    if (!EXPORT_MEMBERS.every((name) => name in row)) return { kind: 'save', id: row['id'], record: row };
    const { id, payload } = row;
    const kind = row['action'] === 'DELETED' ? 'delete' : 'save';
    const record = 'payload' in row ? payload : flatRecord(row);
    if (isJsonObject(record) && (kind === 'delete' || !isEmpty(record))) return { kind, id, record };
    return kind === 'save' ? { kind: 'skip' } : { kind, id, record: {} };
  };
}

const without = (row: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

function flatRecord(row: Record<string, unknown>): Record<string, unknown> {
  const more = row[MORE_COLUMN];
  return { ...without(row, [...EXPORT_MEMBERS, MORE_COLUMN]), ...(isJsonObject(more) ? more : {}) };
}

/** A pruned record in a table: columns without anything in them. */
function isEmpty({ id: _id, ...members }: Record<string, unknown>): boolean {
  const values = Object.values(members);
  return values.length > 0 && values.every((value) => value === null);
}
