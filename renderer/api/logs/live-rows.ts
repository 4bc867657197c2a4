import { matchesLogFilter, type OperationListItem } from '../contract.ts';
import type { OperationQuery } from './logs-queries.ts';

/** Rows that arrived after the snapshot. `changed` are newer states of rows inside it. */
export interface LiveRows {
  /** Shown above the snapshot, newest first. */
  shown: readonly OperationListItem[];
  /** Waiting behind the "N new" pill while the reader is further down. */
  held: readonly OperationListItem[];
  /** How many more came than are kept; a new snapshot has them. */
  overflow: number;
  changed: ReadonlyMap<string, OperationListItem>;
}

/** Rows above a snapshot; beyond that a new snapshot is cheaper than what they take. */
const MOST_LIVE_ROWS = 2000;

export const NO_LIVE_ROWS: LiveRows = { shown: [], held: [], overflow: 0, changed: new Map() };

/** The part of a snapshot that tells old rows from new ones. */
export interface SnapshotHead {
  ids: ReadonlySet<string>;
  /** `createdAt` of the last row of the first page; undefined when the page is not full. */
  oldest: string | undefined;
}

/** The server's filter once more, for rows that come by event. */
export const matchesFilter = (row: OperationListItem, filter: OperationQuery): boolean =>
  matchesLogFilter(row, filter) && isWithin(filter.period, Date.parse(row.createdAt));

function isWithin(period: string | undefined, ms: number): boolean {
  const [from = '', to = ''] = (period ?? ',').split(',');
  return (from === '' || ms >= Number(from)) && (to === '' || ms <= Number(to));
}

const replace = (
  rows: readonly OperationListItem[],
  row: OperationListItem,
): readonly OperationListItem[] | undefined =>
  rows.some((old) => old.id === row.id) ? rows.map((old) => (old.id === row.id ? row : old)) : undefined;

/** Takes in one event. New rows go to `shown` or, when `isHolding`, to `held`. */
export function takeRow(
  live: LiveRows,
  row: OperationListItem,
  context: { filter: OperationQuery; head: SnapshotHead; isHolding: boolean },
): LiveRows {
  const shown = replace(live.shown, row);
  if (shown) return { ...live, shown };
  const held = replace(live.held, row);
  if (held) return { ...live, held };
  const { head } = context;
  if (head.ids.has(row.id) || (head.oldest !== undefined && row.createdAt <= head.oldest)) {
    return { ...live, changed: new Map(live.changed).set(row.id, row) };
  }
  if (!matchesFilter(row, context.filter)) return live;
  if (live.shown.length + live.held.length >= MOST_LIVE_ROWS) return { ...live, overflow: live.overflow + 1 };
  return context.isHolding ? { ...live, held: [row, ...live.held] } : { ...live, shown: [row, ...live.shown] };
}

/** Shows what was held. */
export const release = (live: LiveRows): LiveRows =>
  live.held.length === 0 ? live : { ...live, shown: [...live.held, ...live.shown], held: [] };
