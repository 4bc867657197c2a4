import type { RefObject } from 'react';
import { KEY_MAP, type KeyMeaning } from '../../lib/key-map.ts';
import { copyText } from '../copy-text.ts';
import { useCommands } from '../use-commands.ts';
import type { LaidColumn } from './columns.ts';
import type { RowActions, SelectMode } from './row-actions.ts';
import type { DataTableProps } from './table-props.ts';
import type { ActiveCell } from './use-active-cell.ts';

interface GridCommandsOptions<Row> {
  table: DataTableProps<Row>;
  columns: LaidColumn<Row>[];
  frame: RefObject<HTMLElement | null>;
  actions: RowActions;
  cell: ActiveCell;
  pageRows: () => number;
  scrollTo: (row: number) => void;
  setCell: (next: Partial<ActiveCell>) => void;
  /** Gives the grid the focus, unless an element beside it needs it. */
  takeFocus: () => void;
  sortBy: (column: LaidColumn<Row>) => void;
  resizeBy: (column: LaidColumn<Row>, pixels: number) => void;
}

const RESIZE_STEP = 16;

/** The keyboard of a table: one tab stop, arrow keys inside. */
export function useGridCommands<Row>(options: GridCommandsOptions<Row>): void {
  const { table, columns, actions, cell, setCell } = options;
  const total = table.source.total ?? 0;
  const row = cell.row < 0 ? undefined : table.source.rowAt(cell.row);

  const move = (to: number, mode?: SelectMode): boolean => {
    if (total === 0) return false;
    options.takeFocus();
    const next = Math.min(Math.max(to, -1), total - 1);
    if (mode && table.selection && table.selection.value.anchor === undefined) actions.select(cell.row, 'toggle');
    setCell({ row: next });
    if (next < 0) return true;
    options.scrollTo(next);
    if (mode) actions.select(next, mode);
    if (table.openKey !== undefined) actions.open(next, false);
    return true;
  };
  /** The first key marks a row of a list without the focus; further ones move from it. */
  const step = (by: 1 | -1): boolean => {
    const isMarked = table.openKey !== undefined || options.frame.current?.contains(document.activeElement);
    return move(isMarked ? cell.row + by : Math.max(cell.row, 0));
  };
  const moveColumn = (by: number): boolean => {
    if (!options.frame.current?.contains(document.activeElement)) return false;
    if (table.groups?.fold(cell.row, by < 0 ? 'closed' : 'open')) return true;
    setCell({ column: Math.max(cell.column + by, 0) });
    return true;
  };
  const select = (mode: SelectMode) => (): boolean => {
    if (!table.selection || total === 0 || (mode !== 'all' && row === undefined)) return false;
    options.takeFocus();
    actions.select(cell.row, mode);
    return true;
  };
  const open = (inNewWindow: boolean): boolean => {
    const column = columns[cell.column];
    if (cell.row < 0 && column && !inNewWindow) options.sortBy(column);
    else if (row === undefined && !table.groups) return false;
    else actions.open(cell.row, inNewWindow);
    return true;
  };
  const openPage = (act: (row: Row) => void) => (): boolean => {
    if (row) act(row);
    return row !== undefined;
  };
  const resize = (pixels: number): boolean => {
    const column = columns[cell.column];
    if (cell.row >= 0 || !column) return false;
    options.resizeBy(column, pixels);
    return true;
  };
  const copy = (text: string | undefined, done: string): boolean => {
    if (text === undefined) return false;
    void copyText(text, done);
    return true;
  };
  const filter = (act: DataTableProps<Row>['onFilter']) => (): boolean => {
    const chosen = row && columns[cell.column]?.filter?.(row);
    if (chosen) act?.(...chosen);
    return chosen !== undefined;
  };

  const { rowHref, rowId, selection } = table;
  const within = table.isMain ? {} : { within: () => options.frame.current };
  const on = (meaning: KeyMeaning, run: () => boolean) => ({ ...meaning, ...within, run });
  useCommands([
    on(KEY_MAP.next, () => step(1)),
    on(KEY_MAP.previous, () => step(-1)),
    on(KEY_MAP.pageDown, () => move(cell.row + options.pageRows())),
    on(KEY_MAP.pageUp, () => move(Math.max(cell.row - options.pageRows(), 0))),
    on(KEY_MAP.first, () => move(0)),
    on(KEY_MAP.last, () => move(total - 1)),
    on(KEY_MAP.left, () => moveColumn(-1)),
    on(KEY_MAP.right, () => moveColumn(1)),
    on(KEY_MAP.open, () => open(false)),
    ...(table.onOpenPage ? [on(KEY_MAP.openPage, openPage(table.onOpenPage))] : []),
    ...(rowHref ? [on(KEY_MAP.openWindow, () => open(true))] : []),
    ...(selection
      ? [
          on(table.onExclude ? { ...KEY_MAP.select, keys: ['shift+space'] } : KEY_MAP.select, select('toggle')),
          on(KEY_MAP.selectDown, () => move(cell.row + 1, 'extend')),
          on(KEY_MAP.selectUp, () => move(Math.max(cell.row - 1, 0), 'extend')),
          on(KEY_MAP.selectAll, select('all')),
        ]
      : []),
    ...(rowId ? [on(KEY_MAP.copyId, () => copy(row && rowId(row), 'ID copied'))] : []),
    ...(rowHref
      ? [on(KEY_MAP.copyLink, () => copy(row && new URL(rowHref(row), location.href).href, 'Link copied'))]
      : []),
    ...(table.onFilter ? [on(KEY_MAP.filter, filter(table.onFilter))] : []),
    ...(table.onExclude ? [on(KEY_MAP.exclude, filter(table.onExclude))] : []),
    ...('all' in table.columns
      ? [on(KEY_MAP.narrower, () => resize(-RESIZE_STEP)), on(KEY_MAP.wider, () => resize(RESIZE_STEP))]
      : []),
    on(KEY_MAP.close, actions.escape),
  ]);
}
