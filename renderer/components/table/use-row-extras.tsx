import { lazy, type ReactNode, type RefObject, Suspense, useState } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { focusIfLost } from '../focus-if-lost.ts';
import { useCommands } from '../use-commands.ts';
import type { LaidColumn } from './columns.ts';
import type { RowActions } from './row-actions.ts';
import type { DataTableProps } from './table-props.ts';
import type { ActiveCell } from './use-active-cell.ts';

// Loaded when they are first asked for.
const RowMenu = lazy(async () => ({
  default: (await import('./RowMenu.tsx')).RowMenu,
})) as typeof import('./RowMenu.tsx').RowMenu;
const RowPeek = lazy(async () => ({
  default: (await import('./RowPeek.tsx')).RowPeek,
})) as typeof import('./RowPeek.tsx').RowPeek;

interface RowExtrasOptions<Row> {
  table: DataTableProps<Row>;
  columns: LaidColumn<Row>[];
  /** Every column, hidden ones included. */
  allColumns: LaidColumn<Row>[];
  actions: RowActions;
  cell: ActiveCell;
  frame: RefObject<HTMLElement | null>;
  scroller: RefObject<HTMLElement | null>;
  takeFocus: () => void;
}

interface OpenMenu<Row> {
  row: Row;
  index: number;
  column: number;
  at: { x: number; y: number };
  /** Another number for each opening. */
  opened: number;
}

/** What a row offers without leaving the list: its menu at the pointer, and a preview. */
export function useRowExtras<Row>(options: RowExtrasOptions<Row>): {
  openMenu: (index: number, column: number, at: { x: number; y: number }) => void;
  extras: ReactNode;
} {
  const { table, columns, actions, cell, frame, scroller } = options;
  const [menu, setMenu] = useState<OpenMenu<Row>>();
  const [isPeeking, setPeeking] = useState(false);
  const active = cell.row < 0 ? undefined : table.source.rowAt(cell.row);
  const openMenu = (index: number, column: number, at: OpenMenu<Row>['at']): void => {
    const row = table.source.rowAt(index);
    if (row !== undefined) setMenu((old) => ({ row, index, column, at, opened: (old?.opened ?? 0) + 1 }));
  };
  /** A list whose rows open beside it shows its panel; the others show what they know of the row. */
  const peek = (): boolean => {
    if (active === undefined) return false;
    options.takeFocus();
    if (!table.onClose) setPeeking(!isPeeking);
    else if (table.openKey === table.rowKey(active)) table.onClose();
    else actions.open(cell.row, false);
    return true;
  };
  const within = table.isMain ? {} : { within: () => frame.current };
  useCommands([
    { ...KEY_MAP.peek, ...within, run: peek },
    {
      ...KEY_MAP.rowMenu,
      within: () => frame.current,
      run: () => {
        const box = frame.current?.querySelector('[role=row][data-active]')?.getBoundingClientRect();
        if (!box) return false;
        openMenu(cell.row, cell.column, { x: box.left + 24, y: box.bottom });
        return true;
      },
    },
    ...(isPeeking ? [{ ...KEY_MAP.close, run: () => setPeeking(false) }] : []),
  ]);
  return {
    openMenu,
    extras: (
      <Suspense fallback={null}>
        {isPeeking && active !== undefined && (
          <RowPeek columns={options.allColumns} row={active} canOpen={table.onOpen !== undefined} />
        )}
        {menu && (
          <RowMenu
            key={menu.opened}
            {...{ table, actions }}
            {...menu}
            column={columns[menu.column]}
            onPeek={peek}
            onClosed={() => focusIfLost(scroller.current)}
          />
        )}
      </Suspense>
    ),
  };
}
