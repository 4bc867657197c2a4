import type { ListGroup } from '../../contract/dashboard/dashboard-lists.ts';
import { MAX_LIST_GROUPS } from '../../contract/dashboard/list-limits.ts';

export interface ListOptions<Row> {
  /** What the request asks for. */
  query: {
    offset: number;
    limit: number;
    sort?: string | undefined;
    snapshot?: string | undefined;
    search?: string | undefined;
  };
  /** Texts that the search reads. */
  texts(row: Row): Array<string | null>;
  /** Value of a sort key; null comes last in both directions. */
  value(row: Row, key: string): string | number | null;
  /** Grows with creation, so that a snapshot can exclude later rows. */
  rowId(row: Row): number;
  defaultSort: string;
  /** Puts rows together that have the same group; the lowest rank comes first, then by value. */
  group?: ((row: Row) => { value: string; rank: number; provider: string | null }) | undefined;
}

export interface ListPage<Row> {
  rows: Row[];
  total: number;
  snapshot: string;
  /** The first groups, with `group`. */
  groups?: ListGroup[];
}

/** Searches and sorts a list in memory and returns one page of it. */
export function takePage<Row>(all: readonly Row[], options: ListOptions<Row>): ListPage<Row> {
  const { query, rowId, texts } = options;
  const snapshot = readSnapshot(query.snapshot) ?? all.reduce((last, row) => Math.max(last, rowId(row)), 0);
  const needle = query.search?.trim().toLowerCase() ?? '';
  const found = all.filter((row) => {
    if (rowId(row) > snapshot) return false;
    return needle === '' || texts(row).some((text) => text?.toLowerCase().includes(needle));
  });
  const { key, direction } = readSort(query.sort ?? options.defaultSort);
  const sign = direction === 'asc' ? 1 : -1;
  found.sort((a, b) => compare(options.value(a, key), options.value(b, key), sign) || sign * (rowId(a) - rowId(b)));
  if (options.group) return takeGroupedPage(found, { query, snapshot, group: options.group });
  return {
    rows: found.slice(query.offset, query.offset + query.limit),
    total: found.length,
    snapshot: String(snapshot),
  };
}

function takeGroupedPage<Row>(
  sorted: readonly Row[],
  {
    query,
    snapshot,
    group,
  }: { query: ListOptions<Row>['query']; snapshot: number; group: NonNullable<ListOptions<Row>['group']> },
): ListPage<Row> {
  const groups = [...Map.groupBy(sorted, (row) => group(row).value)]
    .flatMap(([, rows]) => (rows[0] === undefined ? [] : [{ ...group(rows[0]), rows }]))
    .sort((a, b) => a.rank - b.rank || compare(a.value, b.value, 1));
  const all = groups.flatMap(({ rows }) => rows);
  return {
    rows: all.slice(query.offset, query.offset + query.limit),
    total: all.length,
    snapshot: String(snapshot),
    groups: groups
      .slice(0, MAX_LIST_GROUPS)
      .map(({ value, provider, rows }) => ({ value, label: null, provider, count: rows.length })),
  };
}

/** The members of a response that say how many rows there are. */
export const viewCount = ({ total, isTotalCut }: { total: number; isTotalCut?: true }) =>
  isTotalCut ? { total, isTotalCut } : { total };

/** `-name` means by name, descending. */
export function readSort(sort: string): { key: string; direction: 'asc' | 'desc' } {
  return sort.startsWith('-') ? { key: sort.slice(1), direction: 'desc' } : { key: sort, direction: 'asc' };
}

/** The row id of a snapshot; undefined for a text that is not one of our snapshots. */
export function readSnapshot(snapshot: string | undefined): number | undefined {
  return snapshot !== undefined && /^\d+$/.test(snapshot) ? Number(snapshot) : undefined;
}

function compare(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { sensitivity: 'base', numeric: true });
}
