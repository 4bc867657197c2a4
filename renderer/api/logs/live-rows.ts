import { matchesLogFilter, type OperationListItem, parseLogQuery, withoutWords } from '../contract.ts';
import type { OperationQuery } from './logs-queries.ts';

/** Rows that arrived after the snapshot. `changed` holds newer states of rows inside it. */
export interface LiveRows {
  /** Shown above the snapshot, newest first. */
  shown: readonly OperationListItem[];
  /** Hidden behind the "N new" pill while the reader is further down. */
  held: readonly OperationListItem[];
  /** More rows arrived than are kept; a new snapshot has them. */
  isCut: boolean;
  changed: ReadonlyMap<string, OperationListItem>;
}

/** The most rows above a snapshot; a new snapshot is cheaper than keeping more. */
export const MAX_LIVE_ROWS = 2000;

export const NO_LIVE_ROWS: LiveRows = { shown: [], held: [], isCut: false, changed: new Map() };

/** The part of a snapshot that separates old rows from new ones. */
export interface SnapshotHead {
  ids: ReadonlySet<string>;
  /** `createdAt` of the last row of the first page; undefined when the page is not full. */
  oldest: string | undefined;
}

/** The server's filter, applied to rows that arrive by event. */
export const matchesFilter = (row: OperationListItem, filter: OperationQuery): boolean =>
  matchesLogFilter(row, filter) && isWithin(filter.period, Date.parse(row.createdAt));

/** Whether the words of the query may be in the messages of an ended operation, which only the server can search. */
export function mayMatchByMessages(row: OperationListItem, filter: OperationQuery): boolean {
  const { search = '' } = filter;
  if (row.endedAt === null || parseLogQuery(search).text === '' || matchesFilter(row, filter)) return false;
  return matchesFilter(row, { ...filter, search: withoutWords(search) });
}

function isWithin(period: string | undefined, ms: number): boolean {
  const [from = '', to = ''] = (period ?? ',').split(',');
  return (from === '' || ms >= Number(from)) && (to === '' || ms <= Number(to));
}

const replace = (
  rows: readonly OperationListItem[],
  row: OperationListItem,
): readonly OperationListItem[] | undefined =>
  rows.some((old) => old.id === row.id) ? rows.map((old) => (old.id === row.id ? row : old)) : undefined;

const isInSnapshot = (row: OperationListItem, { ids, oldest }: SnapshotHead): boolean =>
  ids.has(row.id) || (oldest !== undefined && row.createdAt <= oldest);

/** Adds one event. New rows go to `shown` or, when `isHolding`, to `held`. */
export function takeRow(
  live: LiveRows,
  row: OperationListItem,
  context: { filter: OperationQuery; head: SnapshotHead; isHolding: boolean },
): LiveRows {
  const shown = replace(live.shown, row);
  if (shown) return { ...live, shown };
  const held = replace(live.held, row);
  if (held) return { ...live, held };
  if (isInSnapshot(row, context.head)) return { ...live, changed: new Map(live.changed).set(row.id, row) };
  if (!matchesFilter(row, context.filter)) return live;
  if (live.shown.length + live.held.length >= MAX_LIVE_ROWS) return { ...live, isCut: true };
  return context.isHolding ? { ...live, held: [row, ...live.held] } : { ...live, shown: [row, ...live.shown] };
}

/**
 * The live rows to keep above a new snapshot. Events arrive while the snapshot is being fetched, and rows stored after
 * it was read are not in it. When the snapshot says that an operation has ended, that state is final and wins.
 */
export function rebase(live: LiveRows, { filter, head }: { filter: OperationQuery; head: SnapshotHead }): LiveRows {
  const isNewer = (row: OperationListItem): boolean => !isInSnapshot(row, head) && matchesFilter(row, filter);
  const ended = [...live.changed.values(), ...live.held, ...live.shown].filter(
    ({ id, endedAt }) => endedAt !== null && head.ids.has(id),
  );
  return {
    shown: live.shown.filter(isNewer),
    held: live.held.filter(isNewer),
    isCut: false,
    changed: new Map(ended.map((row) => [row.id, row])),
  };
}

/** Moves the held rows to the shown ones. */
export const release = (live: LiveRows): LiveRows =>
  live.held.length === 0 ? live : { ...live, shown: [...live.held, ...live.shown], held: [] };
