import type { ReactNode } from 'react';
import type { Column, RowSource } from './columns.ts';
import type { Selection } from './selection.ts';
import type { ColumnLayout } from './use-column-layout.ts';

export interface TableSelection<Row> {
  value: Selection<Row>;
  onChange: (value: Selection<Row>) => void;
}

export interface DataTableProps<Row> {
  label: string;
  /** In their own order, or as the person laid them out. */
  columns: Column<Row>[] | ColumnLayout<Row>;
  source: RowSource<Row>;
  rowKey: (row: Row) => string;
  /** 28 compact, 36 default, 48 comfortable, 52 for two lines. */
  rowHeight?: number;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  onOpen?: (row: Row) => void;
  /** Opens the row as a page, where `onOpen` shows it beside the list. */
  onOpenPage?: (row: Row) => void;
  /** Address of a row: it is a link then. */
  rowHref?: (row: Row) => string;
  /** What `c` copies. */
  rowId?: (row: Row) => string;
  /** Narrows the list by a parameter of the address and its value. */
  onFilter?: (name: string, value: string) => void;
  /** Leaves rows with this value out; `x` does it then and selects no more. */
  onExclude?: (name: string, value: string) => void;
  /** Key of the row that is open in the side panel. */
  openKey?: string | undefined;
  onClose?: () => void;
  selection?: TableSelection<Row>;
  isDim?: (row: Row) => boolean;
  empty: ReactNode;
  /** What waits to be shown, for the pill. */
  heldText?: string | undefined;
  onShowHeld?: () => void;
  onTopChange?: (atTop: boolean) => void;
  /** New rows come at the end, and so does the pill. */
  growsAtEnd?: boolean;
  /** The list of the screen: it takes its keys from wherever the focus is. */
  isMain?: boolean;
  describeError: (error: Error) => { message: string; code: string };
}
