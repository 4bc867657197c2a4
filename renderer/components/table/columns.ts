import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** Pixels; a column with `grow` takes the room that is left, at least this much. */
  width: number;
  grow?: boolean;
  align?: 'right';
  /** Key the server sorts by; absent when it cannot. */
  sort?: string;
  /** The first column cannot be hidden. */
  startsHidden?: boolean;
  cell: (row: Row, isActive: boolean) => ReactNode;
  /** What the cell says, for copying; without it the column is left out. */
  text?: (row: Row) => string | number | null;
  /** Parameter of the address and its value that keep only rows with what this cell holds. */
  filter?: (row: Row) => readonly [name: string, value: string] | undefined;
}

/** A column as the person laid it out. */
export interface LaidColumn<Row> extends Column<Row> {
  /** Pixels that somebody chose; else its own width counts, and `grow`. */
  size?: number;
  isPinned?: boolean;
}

/** Where the rows of a table come from; what is not here yet is undefined. */
export interface RowSource<Row> {
  total: number | undefined;
  rowAt: (index: number) => Row | undefined;
  error: Error | null;
  retry: () => void;
  showRange: (first: number, last: number) => void;
  isStale: boolean;
  /** Every row, of the most that the number says. Absent: the rows cannot be had all at once. */
  readAll?: (most: number) => Promise<Row[]>;
}

export const COLUMN_GAP = 16;
const GUTTER = 24;
const CHECK_WIDTH = 16;

interface GridLayout {
  template: string;
  minWidth: number;
  /** Distance of each pinned column from the left edge, by its id. */
  pins: ReadonlyMap<string, number>;
}

export function gridLayout(columns: LaidColumn<never>[], hasChecks: boolean): GridLayout {
  const widthOf = (column: LaidColumn<never>): number => column.size ?? column.width;
  const widths = columns.map((column) =>
    column.grow && column.size === undefined ? `minmax(${column.width}px, 1fr)` : `${widthOf(column)}px`,
  );
  if (hasChecks) widths.unshift(`${CHECK_WIDTH}px`);
  const pins = new Map<string, number>();
  let left = GUTTER + (hasChecks ? CHECK_WIDTH + COLUMN_GAP : 0);
  let sum = hasChecks ? CHECK_WIDTH : 0;
  for (const column of columns) {
    if (column.isPinned) pins.set(column.id, left);
    left += widthOf(column) + COLUMN_GAP;
    sum += widthOf(column);
  }
  return { template: widths.join(' '), minWidth: sum + COLUMN_GAP * (widths.length - 1) + 2 * GUTTER, pins };
}

/** A list that came whole, as a source. */
export function wholeRows<Row>(query: {
  data: readonly Row[] | undefined;
  error: Error | null;
  refetch: () => unknown;
}): RowSource<Row> {
  return {
    total: query.data?.length,
    rowAt: (index) => query.data?.[index],
    error: query.error,
    retry: () => void query.refetch(),
    showRange: () => {},
    isStale: false,
    readAll: async (most) => (query.data ?? []).slice(0, most),
  };
}
