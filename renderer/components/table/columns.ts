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
}

/** Where the rows of a table come from; what is not here yet is undefined. */
export interface RowSource<Row> {
  total: number | undefined;
  rowAt: (index: number) => Row | undefined;
  error: Error | null;
  retry: () => void;
  showRange: (first: number, last: number) => void;
  isStale: boolean;
}

const COLUMN_GAP = 16;
const GUTTER = 24;

const CHECK_WIDTH = 16;

export function gridTemplate(columns: Column<never>[], hasChecks: boolean): { template: string; minWidth: number } {
  const widths = columns.map((column) => (column.grow ? `minmax(${column.width}px, 1fr)` : `${column.width}px`));
  if (hasChecks) widths.unshift(`${CHECK_WIDTH}px`);
  const sum = columns.reduce((total, column) => total + column.width, hasChecks ? CHECK_WIDTH : 0);
  return { template: widths.join(' '), minWidth: sum + COLUMN_GAP * (widths.length - 1) + 2 * GUTTER };
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
  };
}
