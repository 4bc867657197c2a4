import type { ReactNode } from 'react';
import type { Column, RowSource } from './columns.ts';
import type { Selection } from './selection.ts';

export interface DataTableProps<Row> {
  label: string;
  columns: Column<Row>[];
  source: RowSource<Row>;
  rowKey: (row: Row) => string;
  /** 28 compact, 36 default, 48 comfortable, 52 for two lines. */
  rowHeight?: number;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  onOpen?: (row: Row) => void;
  /** Address of a row, for a new window. */
  rowHref?: (row: Row) => string;
  /** Key of the row that is open in the side panel. */
  openKey?: string | undefined;
  onClose?: () => void;
  selection?: { value: Selection; onChange: (value: Selection) => void };
  isDim?: (row: Row) => boolean;
  empty: ReactNode;
  /** New rows that wait; see the pill. */
  heldCount?: number;
  onShowHeld?: () => void;
  onTopChange?: (atTop: boolean) => void;
  describeError: (error: Error) => { message: string; code: string };
}

export const DEFAULT_ROW_HEIGHT = 36;
