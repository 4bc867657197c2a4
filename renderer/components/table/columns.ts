import type { ReactNode } from 'react';
import type { ContentWidths } from './content-widths.ts';

export interface Column<Row> {
  id: string;
  header: string;
  /** Pixels, at least this much: the spare room goes first to columns whose content needs more, then to those with `grow`. */
  width: number;
  grow?: boolean;
  align?: 'right';
  /** The server's sort key; absent when the server cannot sort by it. */
  sort?: string;
  /** The first column cannot be hidden. */
  startsHidden?: boolean;
  /** In a narrow window it follows the first column: what a person must see without scrolling to the side. */
  isEarly?: boolean;
  /** Pixels in a narrow window, where `width` leaves no room for a second column. */
  narrowWidth?: number;
  /** Stays in view at the right edge, when the others do not fit: what acts on the row. */
  isAtEnd?: boolean;
  cell: (row: Row, isActive: boolean) => ReactNode;
  /** The text of the cell, for copying; columns without it are not copied. */
  text?: (row: Row) => string | number | null;
  /** Address parameter and value of the filter for rows with the value of this cell. */
  filter?: (row: Row) => readonly [name: string, value: string] | undefined;
}

/** A column as the person arranged it. */
export interface LaidColumn<Row> extends Column<Row> {
  /** Pixels that a person chose; otherwise the column's own width applies, and `grow`. */
  size?: number;
  isPinned?: boolean;
}

/** The rows of a table; rows that are not loaded are undefined. */
export interface RowSource<Row> {
  total: number | undefined;
  rowAt: (index: number) => Row | undefined;
  error: Error | null;
  retry: () => void;
  showRange: (first: number, last: number) => void;
  /** Reports single visible rows, where others between them are not shown. */
  showRows?: (rows: readonly number[]) => void;
  isStale: boolean;
  /** Resolves to every row, up to this number. Absent: the rows cannot be loaded all at once. */
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

export function gridLayout(
  columns: LaidColumn<never>[],
  hasChecks: boolean,
  contents: ContentWidths = new Map(),
): GridLayout {
  const widthOf = (column: LaidColumn<never>): number => column.size ?? column.width;
  const needOf = (column: LaidColumn<never>): number =>
    column.size === undefined ? Math.max((contents.get(column.id) ?? 0) - column.width, 0) : 0;
  const allNeeds = columns.reduce((sum, column) => sum + needOf(column), 0);
  const gaps = COLUMN_GAP * (columns.length - (hasChecks ? 0 : 1));
  const fixed = columns.reduce((sum, column) => sum + widthOf(column), hasChecks ? CHECK_WIDTH : 0);
  const minWidth = fixed + gaps + 2 * GUTTER;
  // Each column that needs more gets its share of the spare room. The browser computes it, so that it follows the window.
  const shareOf = (column: LaidColumn<never>): string => {
    const need = needOf(column);
    if (need === 0) return `${widthOf(column)}px`;
    const spare = `${Math.floor((need / allNeeds) * 10_000) / 10_000} * (100cqw - ${minWidth}px)`;
    return `clamp(${column.width}px, ${column.width}px + ${spare}, ${column.width + need}px)`;
  };
  const widths = columns.map((column) =>
    column.grow && column.size === undefined ? `minmax(${shareOf(column)}, 1fr)` : shareOf(column),
  );
  if (hasChecks) widths.unshift(`${CHECK_WIDTH}px`);
  const pins = new Map<string, number>();
  let left = GUTTER + (hasChecks ? CHECK_WIDTH + COLUMN_GAP : 0);
  for (const column of columns) {
    if (column.isPinned) pins.set(column.id, left);
    left += widthOf(column) + COLUMN_GAP;
  }
  return { template: widths.join(' '), minWidth, pins };
}

/** A completely loaded list, as a source. */
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
