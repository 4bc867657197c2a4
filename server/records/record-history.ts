import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { HistoryBounds, HistoryStream, RecordHistoriesStore } from './record-histories.store.ts';
import { type LastAction, lastAction, presentRecord, type StreamTarget } from './record-reader.ts';
import type { RecordPurger } from './record-retention.ts';
import { type RecordSealer, sealContext } from './record-sealer.ts';
import type { RecordStreamsStore, StreamRow } from './record-streams.store.ts';
import { formatMicros, parseMicros } from './record-time.ts';
import type { PastRow, RecordVersionsStore, VersionRow } from './record-versions.store.ts';
import type { RecordsStore } from './records.store.ts';

export type { HistoryBounds } from './record-histories.store.ts';

export interface RecordVersion {
  /** When the version was created; also the name of the version. */
  at: string;
  action: LastAction;
  /** Null when no run made the change, or when it was made before the history began. */
  jobId: number | null;
  operationId: string | null;
  isPruned: boolean;
}

export interface VersionDiff {
  /** Null after it was pruned. */
  from: Record<string, unknown> | null;
  to: Record<string, unknown> | null;
  /** Empty when one of the two was pruned. */
  changes: RecordChange[];
}

/** A record at a past time: its JSON text with the metadata of that time; null when that state is not kept any more. */
export interface PastRecord {
  id: string;
  json: string | null;
}

const DAY_US = 86_400_000_000;
/** Versions removed per transaction. */
const SLICE_ROWS = 500;
const MAX_MOMENTS = 100;

export interface HistoryMeasure {
  since: string | null;
  /** Oldest first. */
  moments: string[];
  versions: number;
  bytes: number;
}

export type RecordHistory = ReturnType<typeof createRecordHistory>;

/**
 * Earlier versions of records. Off by default; a model keeps them for all connections and variants of an integration.
 */
export function createRecordHistory({
  database,
  clock,
  recordStreamsStore,
  recordsStore,
  recordVersionsStore,
  recordHistoriesStore,
  sealer,
  purger,
}: {
  database: Database;
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  recordVersionsStore: RecordVersionsStore;
  recordHistoriesStore: RecordHistoriesStore;
  sealer: RecordSealer;
  purger: RecordPurger;
}) {
  async function trimStream(
    { streamId, mostVersions, mostDays }: HistoryStream,
    isStopped: () => boolean,
  ): Promise<void> {
    const before = clock.now() * 1000 - mostDays * DAY_US;
    let from = '';
    while (!isStopped()) {
      const query = { streamId, mostVersions, before, from, limit: SLICE_ROWS };
      const surplus = await recordVersionsStore.listSurplus(database.reader, query);
      if (surplus.length === 0) return;
      await database.transaction(async (tx) => {
        await recordVersionsStore.remove(tx, streamId, surplus);
        await recordVersionsStore.markCut(tx, streamId, [...new Set(surplus.map((version) => version.externalId))]);
      });
      from = surplus.at(-1)?.externalId ?? '';
    }
  }

  function present(stream: StreamRow, row: PastRow): PastRecord {
    if (row.updatedAt === null) return { id: row.externalId, json: null };
    return presentRecord(stream, { ...row, updatedAt: row.updatedAt }, sealer);
  }

  async function listVersions(
    target: StreamTarget,
    recordId: string,
  ): Promise<{ stream: StreamRow | undefined; rows: VersionRow[] }> {
    const stream = await findStream(target);
    return { stream, rows: stream ? await recordVersionsStore.list(database.reader, stream.id, recordId) : [] };
  }

  function findStream({ connectionRowId, model, variant }: StreamTarget): Promise<StreamRow | undefined> {
    return recordStreamsStore.find(database.reader, connectionRowId, model, variant);
  }

  return {
    /** The limits of the history; undefined when no versions are kept. */
    async find(integrationId: number, model: string): Promise<HistoryBounds | undefined> {
      return recordHistoriesStore.find(database.reader, integrationId, model);
    },
    /** Starts keeping versions; when they are kept already, only the limits change. */
    async keep(integrationId: number, model: string, bounds: HistoryBounds): Promise<void> {
      // Versions of an earlier history that still wait for removal would mix with the new ones.
      await purger.run();
      await database.transaction(async (tx) => {
        await recordHistoriesStore.upsert(tx, integrationId, model, bounds);
        const { stamp } = await recordsStore.takeStamps(tx, 1, 0, clock.now() * 1000);
        await recordStreamsStore.startHistory(tx, integrationId, model, stamp);
      });
    },
    /** Stops keeping versions; stored ones are removed in the background. */
    async stop(integrationId: number, model: string): Promise<void> {
      await database.transaction(async (tx) => {
        await recordHistoriesStore.remove(tx, integrationId, model);
        await recordStreamsStore.endHistory(tx, integrationId, model);
      });
      void purger.run();
    },
    /** When the history began (null: there is none), the last 100 times of changes, and its size without the records. */
    async measure(target: StreamTarget): Promise<HistoryMeasure> {
      const stream = await findStream(target);
      if (!stream || stream.historySince <= 0) return { since: null, moments: [], versions: 0, bytes: 0 };
      const range = { streamId: stream.id, after: stream.historySince, limit: MAX_MOMENTS };
      const stamps = await recordVersionsStore.listMoments(database.reader, range);
      return {
        since: formatMicros(stream.historySince),
        moments: stamps.reverse().map(formatMicros),
        ...(await recordVersionsStore.measure(database.reader, stream.id)),
      };
    },
    /** Newest first; the newest is the record itself. Empty when the record does not exist. */
    async versions(target: StreamTarget, recordId: string): Promise<RecordVersion[]> {
      return (await listVersions(target, recordId)).rows.map((row) => ({
        at: formatMicros(row.updatedAt),
        action: lastAction(row),
        jobId: row.jobId,
        operationId: row.operationId,
        isPruned: row.prunedAt !== null,
      }));
    },
    /** The changes between two versions, each named by its time. Throws `not_found`. */
    async diff(target: StreamTarget, recordId: string, between: { from: string; to: string }): Promise<VersionDiff> {
      const { stream, rows } = await listVersions(target, recordId);
      const contentOf = (moment: string): Record<string, unknown> | null => {
        const row = rows.find((one) => one.updatedAt === parseMicros(moment));
        if (!stream || !row) throw new HomeportError('not_found', `There is no version of the record from ${moment}.`);
        if (row.prunedAt !== null) return null;
        // A deletion of an id that was never saved has no payload.
        if (row.sealed === null) return { id: row.externalId };
        return JSON.parse(sealer.open(row.sealed, sealContext(stream.id, row.externalId)));
      };
      const [from, to] = [contentOf(between.from), contentOf(between.to)];
      return { from, to, changes: from === null || to === null ? [] : diffRecords(from, to) };
    },
    /**
     * The records as they were at a time, sorted by id; `next` is the `after` of the next page. Throws
     * `invalid_query_params` for a time that the history does not cover.
     */
    async asOf(
      target: StreamTarget,
      moment: string,
      page: { after?: string; ids?: string[]; limit: number },
    ): Promise<{ records: PastRecord[]; next: string | null }> {
      const stream = await findStream(target);
      const at = parseMicros(moment);
      if (at === undefined) throw new HomeportError('invalid_query_params', 'The moment is not an ISO date-time.');
      if (!stream) return { records: [], next: null };
      checkCovered(stream, at);
      const { after = '', ids, limit } = page;
      const rows = await recordVersionsStore.listAsOf(database.reader, {
        streamId: stream.id,
        at,
        after,
        ids,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const records = await mapInSlices(
        shown,
        (row) => row.sealed?.length ?? 0,
        (row) => present(stream, row),
      );
      return { records, next: rows.length > limit ? (shown.at(-1)?.externalId ?? null) : null };
    },
    /** Removes versions beyond the limits of each model. */
    async trim(isStopped: () => boolean): Promise<void> {
      for (const stream of await recordHistoriesStore.listStreams(database.reader)) await trimStream(stream, isStopped);
    },
  };
}

function checkCovered(stream: StreamRow, at: number): void {
  if (stream.historySince <= 0)
    throw new HomeportError('invalid_query_params', `No history of ${stream.model} is kept. Switch it on first.`);
  if (at < stream.historySince) {
    const since = formatMicros(stream.historySince);
    throw new HomeportError('invalid_query_params', `The history of ${stream.model} begins at ${since}.`);
  }
}

/** One difference between two JSON values. */
export interface RecordChange {
  /** JSON Pointer (RFC 6901) into the newer value; into the older one for a removed member. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  /** Absent for an added member. */
  from?: unknown;
  /** Absent for a removed member. */
  to?: unknown;
}

/**
 * The changes between two JSON values, in the order of the newer one, with removed members last. Objects and arrays are
 * compared at every depth, arrays by position: additional items of a longer array are added or removed.
 */
export function diffRecords(from: unknown, to: unknown): RecordChange[] {
  const changes: RecordChange[] = [];
  compare('', from, to, changes);
  return changes;
}

function compare(path: string, from: unknown, to: unknown, changes: RecordChange[]): void {
  if (!isNested(from) || !isNested(to) || Array.isArray(from) !== Array.isArray(to)) {
    if (!isSame(from, to)) changes.push({ path, kind: 'changed', from, to });
    return;
  }
  const older = new Map(Object.entries(from));
  for (const [key, value] of Object.entries(to)) {
    const at = `${path}/${escapeKey(key)}`;
    if (older.has(key)) compare(at, older.get(key), value, changes);
    else changes.push({ path: at, kind: 'added', to: value });
    older.delete(key);
  }
  for (const [key, value] of older) changes.push({ path: `${path}/${escapeKey(key)}`, kind: 'removed', from: value });
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Compares plain values; when both are nested, one is an array and the other is not. */
function isSame(from: unknown, to: unknown): boolean {
  return !isNested(from) && !isNested(to) && from === to;
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
