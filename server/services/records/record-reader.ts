import type { Readable } from '../../database/database.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { RecordStreamsStore, StreamRow } from '../../stores/record-streams-store.ts';
import type { RecordsStore } from '../../stores/records-store.ts';
import { mapInSlices } from './event-loop-slices.ts';
import { decodeCursor } from './record-cursor.ts';
import { type PresentedRecord, presentRecord } from './record-presenter.ts';
import type { RecordSealer } from './record-sealer.ts';
import { parseMicros } from './record-time.ts';

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

export interface RecordPage {
  records: PresentedRecord[];
  nextCursor: string | null;
}

interface ReaderOptions {
  streams: RecordStreamsStore;
  records: RecordsStore;
  sealer: RecordSealer;
}

const EVERYTHING: RecordAction[] = ['added', 'updated', 'deleted'];

/** Reads the stream of changes: every record once, in the order of its last change. */
export class RecordReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async list(db: Readable, query: RecordQuery): Promise<RecordPage> {
    const { streams, records } = this.#options;
    const after = query.cursor === undefined ? 0 : decodeCursor(query.cursor);
    const modifiedAfter = query.modifiedAfter === undefined ? 0 : readMoment(query.modifiedAfter);
    const stream = await streams.find(db, query.connectionRowId, query.model, query.variant ?? 'base');
    if (!stream) return { records: [], nextCursor: null };
    const filter = query.filter ?? EVERYTHING;
    const rows = await records.listPage(db, {
      streamId: stream.id,
      // One bound: of two, the index would serve the first only and walk over what the other leaves out.
      from: Math.max(after + 1, modifiedAfter),
      actions: {
        added: filter.includes('added'),
        updated: filter.includes('updated'),
        deleted: filter.includes('deleted'),
      },
      ids: query.ids,
      limit: query.limit + 1,
    });
    const presented = await this.#present(stream, rows.slice(0, query.limit));
    return { records: presented, nextCursor: rows.length > query.limit ? (presented.at(-1)?.cursor ?? null) : null };
  }

  #present(stream: StreamRow, rows: Awaited<ReturnType<RecordsStore['listPage']>>): Promise<PresentedRecord[]> {
    return mapInSlices(
      rows,
      (row) => row.sealed?.length ?? 0,
      (row) => presentRecord(stream, row, this.#options.sealer),
    );
  }
}

function readMoment(text: string): number {
  const micros = parseMicros(text);
  if (micros !== undefined) return micros;
  throw new HomeportError('invalid_query_params', 'modified_after is not an ISO date-time with a zone.', {
    issues: [{ code: 'invalid_format', message: 'Invalid ISO datetime', path: ['modified_after'] }],
  });
}
