import { hash } from 'node:crypto';
import type { Database } from '../platform/database/database.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { IdList } from '../platform/lib/id-list.ts';
import { type RecordSealer, sealContext } from './record-sealer.ts';
import type { RecordStreamsStore, StreamRow } from './record-streams.store.ts';
import { formatMicros, parseMicros } from './record-time.ts';
import type { RecordRow, RecordsStore } from './records.store.ts';

export type RecordAction = 'added' | 'updated' | 'deleted';

export interface RecordQuery {
  connectionRowId: number;
  model: string;
  /** Default `base`. */
  variant?: string;
  cursor?: string;
  limit: number;
  /** Union of the listed actions; default all. */
  filter?: RecordAction[];
  /** ISO date-time with zone; changed at or after it. */
  modifiedAfter?: string;
  ids?: string[];
}

/** The records of one model and variant of one connection. */
export interface StreamTarget {
  connectionRowId: number;
  model: string;
  variant: string;
}

export interface RecordIdsRequest extends StreamTarget {
  /**
   * Positions in the stream of changes, as `lastChange` returns them: the changes after `after`, up to and including
   * `until`.
   */
  after?: string;
  until: string;
  /** Milliseconds since the epoch, both included. */
  modifiedFrom?: number | undefined;
  modifiedTo?: number | undefined;
  /** Default all. */
  filter?: RecordAction[] | undefined;
  by: 'modified' | 'id' | 'action';
  direction: 'asc' | 'desc';
}

export interface RecordTextRequest extends StreamTarget {
  /** In lower case. */
  text: string;
  /** Only these ids; default all. */
  ids?: readonly string[];
  /** As in `RecordIdsRequest`. A record that changes during the search is searched in its new state. */
  after?: string;
  /** Ends the search; what was found so far is returned. */
  signal: AbortSignal;
}

export interface RecordPage {
  records: PresentedRecord[];
  nextCursor: string | null;
}

const EVERYTHING: RecordAction[] = ['added', 'updated', 'deleted'];
/** Number of payloads that a search opens before it checks whether it was aborted. */
const SEARCH_SLICE = 500;

export type RecordReader = ReturnType<typeof createRecordReader>;

/** Reads the stream of changes: every record once, in the order of its last change. */
export function createRecordReader({
  database,
  recordStreamsStore,
  recordsStore,
  sealer,
}: {
  database: Database;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  sealer: RecordSealer;
}) {
  async function* listSlices(stream: StreamRow, { ids, after }: RecordTextRequest): AsyncGenerator<RecordRow[]> {
    const page = { streamId: stream.id, actions: actionsOf(EVERYTHING), limit: SEARCH_SLICE };
    const first = (parseMicros(after ?? '') ?? 0) + 1;
    if (ids) {
      for (let at = 0; at < ids.length; at += SEARCH_SLICE)
        yield await recordsStore.listPage(database.reader, {
          ...page,
          ids: ids.slice(at, at + SEARCH_SLICE),
          from: first,
        });
      return;
    }
    for (let from: number | undefined = first; from !== undefined; ) {
      const rows: RecordRow[] = await recordsStore.listPage(database.reader, { ...page, ids: undefined, from });
      yield rows;
      const last = rows.length < SEARCH_SLICE ? undefined : rows.at(-1);
      from = last && last.updatedAt + 1;
    }
  }

  function present(stream: StreamRow, rows: Awaited<ReturnType<RecordsStore['listPage']>>): Promise<PresentedRecord[]> {
    return mapInSlices(
      rows,
      (row) => row.sealed?.length ?? 0,
      (row) => presentRecord(stream, row, sealer),
    );
  }

  return {
    /** One page. Throws `invalid_query_params` for an invalid cursor or date. */
    async list(query: RecordQuery): Promise<RecordPage> {
      const after = query.cursor === undefined ? 0 : decodeCursor(query.cursor);
      const modifiedAfter = query.modifiedAfter === undefined ? 0 : readModifiedAfter(query.modifiedAfter);
      const stream = await recordStreamsStore.find(
        database.reader,
        query.connectionRowId,
        query.model,
        query.variant ?? 'base',
      );
      if (!stream) return { records: [], nextCursor: null };
      const filter = query.filter ?? EVERYTHING;
      const rows = await recordsStore.listPage(database.reader, {
        streamId: stream.id,
        // One combined limit: with two conditions the index would use only the first, and read rows that the second
        // excludes.
        from: Math.max(after + 1, modifiedAfter),
        actions: actionsOf(filter),
        ids: query.ids,
        limit: query.limit + 1,
      });
      const presented = await present(stream, rows.slice(0, query.limit));
      return { records: presented, nextCursor: rows.length > query.limit ? (presented.at(-1)?.cursor ?? null) : null };
    },
    /** The position of a model's newest change. */
    async lastChange(query: StreamTarget): Promise<string> {
      const stream = await recordStreamsStore.find(database.reader, query.connectionRowId, query.model, query.variant);
      return formatMicros(stream ? await recordsStore.findLastStamp(database.reader, stream.id) : 0);
    },
    /** Ids in order, read from the index only. */
    async listIds(query: RecordIdsRequest): Promise<IdList> {
      const { modifiedFrom = 0, modifiedTo = Number.MAX_SAFE_INTEGER / 2000, by, direction } = query;
      const stream = await recordStreamsStore.find(database.reader, query.connectionRowId, query.model, query.variant);
      if (!stream) return IdList.of([]);
      return recordsStore.listIds(database.reader, {
        streamId: stream.id,
        after: Math.max(parseMicros(query.after ?? '') ?? 0, modifiedFrom * 1000 - 1),
        until: Math.min(parseMicros(query.until) ?? 0, modifiedTo * 1000 + 999),
        actions: actionsOf(query.filter ?? EVERYTHING),
        order: { by, direction },
      });
    },
    /**
     * Ids of the records with the text in their id or payload. Sealed payloads are opened one by one, without parsing
     * them.
     */
    async findText(query: RecordTextRequest): Promise<string[]> {
      const { text, signal } = query;
      const stream = await recordStreamsStore.find(database.reader, query.connectionRowId, query.model, query.variant);
      if (!stream) return [];
      const isFound = ({ externalId, sealed }: RecordRow): boolean =>
        externalId.toLowerCase().includes(text) ||
        (sealed !== null && sealer.open(sealed, sealContext(stream.id, externalId)).toLowerCase().includes(text));
      const found: string[] = [];
      for await (const rows of listSlices(stream, query)) {
        const isEachFound = await mapInSlices(rows, ({ sealed }) => sealed?.length ?? 0, isFound);
        found.push(...rows.flatMap(({ externalId }, index) => (isEachFound[index] ? [externalId] : [])));
        if (signal.aborted) break;
      }
      return found;
    },
  };
}

function actionsOf(filter: readonly RecordAction[]): Record<RecordAction, boolean> {
  return {
    added: filter.includes('added'),
    updated: filter.includes('updated'),
    deleted: filter.includes('deleted'),
  };
}

function readModifiedAfter(text: string): number {
  const micros = parseMicros(text);
  if (micros !== undefined) return micros;
  throw new HomeportError('invalid_query_params', 'modified_after is not an ISO date-time with a zone.', {
    issues: [{ code: 'invalid_format', message: 'Invalid ISO datetime', path: ['modified_after'] }],
  });
}

const INTERNAL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A position in the stream of changes, which stays valid whatever happens to the record. */
function encodeCursor(stamp: number, internalId: string): string {
  return Buffer.from(`${formatMicros(stamp)}||${internalId}`, 'latin1').toString('base64');
}

/** The stamp of the position. Stamps are unique, so the internal id is not needed for comparing. */
export function decodeCursor(cursor: string, parameter = 'cursor'): number {
  const [time, id, ...rest] = Buffer.from(cursor, 'base64').toString('latin1').split('||');
  const stamp = time === undefined ? undefined : parseMicros(time);
  if (stamp === undefined || id === undefined || rest.length > 0 || !INTERNAL_ID.test(id)) {
    throw new HomeportError('invalid_query_params', 'The cursor was not issued by this server.', {
      issues: [{ code: 'custom', message: 'invalid cursor', path: [parameter] }],
    });
  }
  return stamp;
}

interface PresentedRecord {
  id: string;
  /** The record's JSON text with its metadata. */
  json: string;
  cursor: string;
}

/** The UUID of a record. It never changes, because it is derived from what identifies the record. */
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

/** Opens a row and adds its metadata to the text; the payload is parsed only when it has its own `_metadata`. */
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

/** Adds a member to the text of a non-empty object. */
function append(object: string, member: string): string {
  return `${object.slice(0, -1)},${member}}`;
}
