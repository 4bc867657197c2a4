import { type MouseEvent, useId, useRef, useState } from 'react';
import { ErrorPanel } from '../ErrorPanel.tsx';
import { useDelayed } from '../use-delayed.ts';
import { type Column, gridTemplate } from './columns.ts';
import classes from './DataTable.module.css';
import { type RowActions, rowActions } from './row-actions.ts';
import { TableBody } from './TableBody.tsx';
import { nextSort, TableHead } from './TableHead.tsx';
import { type DataTableProps, DEFAULT_ROW_HEIGHT } from './table-props.ts';
import { type ActiveCell, useGridKeys } from './use-grid-keys.ts';
import { useTableRows } from './use-table-rows.ts';

interface RowHandlers {
  onClick: (index: number, event: MouseEvent) => void;
  onCheck: (index: number, event: MouseEvent) => void;
}

/** Pointer handlers that stay the same object, so that rows are not drawn again while scrolling. */
function useRowHandlers(actions: RowActions, setActiveRow: (row: number) => void, canSelect: boolean): RowHandlers {
  const latest = useRef({ actions, setActiveRow, canSelect });
  latest.current = { actions, setActiveRow, canSelect };
  const [handlers] = useState<RowHandlers>(() => ({
    onClick: (index, event) => {
      if ((event.target as Element).closest('button, a, input, [role=menu]')) return;
      const now = latest.current;
      now.setActiveRow(index);
      if (event.shiftKey && now.canSelect) now.actions.select(index, 'extend');
      else now.actions.open(index, event.ctrlKey || event.metaKey);
    },
    onCheck: (index, event) => latest.current.actions.select(index, event.shiftKey ? 'extend' : 'toggle'),
  }));
  return handlers;
}

function activeId(id: string, { row, column }: ActiveCell): string {
  return row < 0 ? `${id}-h${column}` : `${id}-r${row}`;
}

/** One table for every screen (ui.md 5.1): virtual rows, one tab stop, any number of rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { source } = props;
  if (source.error && source.total === undefined) {
    return <ErrorPanel {...props.describeError(source.error)} onRetry={source.retry} />;
  }
  return source.total === 0 ? props.empty : <Grid {...props} />;
}

function Grid<Row>(props: DataTableProps<Row>) {
  const { source, columns, rowHeight = DEFAULT_ROW_HEIGHT, selection } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { virtual, activeRow } = useTableRows(props, scroller);
  const actions = rowActions(props);
  const total = source.total ?? 0;
  const isLoading = source.total === undefined;
  const isSlow = useDelayed(isLoading, 150);
  const grid = useGridKeys({
    total,
    columnCount: columns.length,
    pageRows: () => Math.max(Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2, 1),
    scrollTo: (row) => virtual.scrollToIndex(row),
    onMove: (row) => props.openKey !== undefined && actions.open(row, false),
    onOpen: actions.open,
    onHeader: (index) => {
      const key = columns[index]?.sort;
      if (key && props.onSort) props.onSort(nextSort(key, props.sort));
    },
    onSelect: actions.select,
    onEscape: actions.escape,
  });
  activeRow.current = grid.active.row;
  const handlers = useRowHandlers(actions, grid.setActiveRow, selection !== undefined);
  const layout = gridTemplate(columns as Column<never>[], selection !== undefined);
  const selectedCount = selection?.value.keys.size ?? 0;
  const showHeld = (): void => {
    virtual.scrollToOffset(0);
    props.onShowHeld?.();
  };
  return (
    <div className={classes['frame']}>
      {(props.heldCount ?? 0) > 0 && (
        <button type="button" className={classes['pill']} onClick={showHeld}>
          {props.heldCount} new
        </button>
      )}
      <div
        ref={scroller}
        className={classes['grid']}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={isLoading ? -1 : total + 1}
        aria-colcount={columns.length}
        aria-busy={isLoading || source.isStale}
        aria-multiselectable={selection !== undefined}
        aria-activedescendant={isLoading ? undefined : activeId(id, grid.active)}
        data-stale={source.isStale || undefined}
        onKeyDown={grid.onKeyDown}
      >
        <div className={classes['inner']} style={{ minWidth: layout.minWidth }}>
          <TableHead
            id={id}
            columns={columns}
            template={layout.template}
            sort={props.sort}
            onSort={props.onSort}
            activeColumn={grid.active.row < 0 ? grid.active.column : undefined}
            selection={
              selection && {
                count: selectedCount,
                isAll: selectedCount >= total,
                toggleAll: () => (selectedCount > 0 ? actions.clearSelection() : actions.select(0, 'all')),
              }
            }
          />
          <TableBody
            id={id}
            table={props}
            virtual={virtual}
            template={layout.template}
            activeRow={grid.active.row}
            isSlow={isSlow}
            handlers={handlers}
          />
        </div>
      </div>
    </div>
  );
}
