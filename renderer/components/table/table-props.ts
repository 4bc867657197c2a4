import type { ReactNode } from 'react';
import type { Column, RowSource } from './columns.ts';
import type { Selection } from './selection.ts';
import type { ColumnLayout } from './use-column-layout.ts';

export interface TableSelection<Row> {
  value: Selection<Row>;
  onChange: (value: Selection<Row>) => void;
}

/** Where the head of a group is drawn. */
export interface HeadPlace {
  index: number;
  id: string;
  top: number;
  height: number;
  isActive: boolean;
}

/** Heads of groups stand between the rows; for them the source has no row. */
interface TableGroups {
  /** Without the heads. */
  rowCount: number;
  isHead: (index: number) => boolean;
  head: (place: HeadPlace) => ReactNode;
  /** Collapses or expands the group with this head; false for a row. */
  fold: (index: number, wish?: 'open' | 'closed') => boolean;
}

export interface DataTableProps<Row> {
  label: string;
  /** In their own order, or as the person arranged them. */
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
  /** Address of a row, which makes it a link. */
  rowHref?: (row: Row) => string;
  /** The text that `c` copies. */
  rowId?: (row: Row) => string;
  /** Filters the list by an address parameter and its value. */
  onFilter?: (name: string, value: string) => void;
  /** Excludes rows with this value; `x` then does that and no longer selects. */
  onExclude?: (name: string, value: string) => void;
  /** Key of the row that is open in the side panel. */
  openKey?: string | undefined;
  onClose?: () => void;
  /** The dropdown of the row's own menu; `items` are those of every list, for its end. */
  rowMenu?: (row: Row, items: ReactNode) => ReactNode;
  selection?: TableSelection<Row>;
  groups?: TableGroups;
  isDim?: (row: Row) => boolean;
  empty: ReactNode;
  /** Text of the pill: the rows that wait to be shown. */
  heldText?: string | undefined;
  onShowHeld?: () => void;
  onTopChange?: (atTop: boolean) => void;
  /** New rows are appended at the end, where the pill then is too. */
  growsAtEnd?: boolean;
  /** The main list of the screen: its keys work wherever the focus is. */
  isMain?: boolean;
}
