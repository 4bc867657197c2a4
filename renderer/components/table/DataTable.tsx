import { UnstyledButton } from '@mantine/core';
import {
  type FocusEvent,
  type MouseEvent,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { DENSITY_HEIGHTS } from '../../lib/preferences.ts';
import { focusIfLost } from '../focus-if-lost.ts';
import { ErrorPanel } from '../page/ErrorPanel.tsx';
import { useDelayed } from '../time/use-delayed.ts';
import { usePreferences } from '../use-preferences.ts';
import { type Column, gridLayout, type LaidColumn } from './columns.ts';
import { useContentWidths } from './content-widths.ts';
import classes from './DataTable.module.css';
import { type RowActions, rowActions } from './row-actions.ts';
import { TableBody } from './TableBody.tsx';
import { nextSort, TableHead } from './TableHead.tsx';
import type { DataTableProps } from './table-props.ts';
import { type ActiveCell, indexOfKey, useActiveCell } from './use-active-cell.ts';
import { useGridCommands } from './use-grid-commands.ts';
import { type ListPosition, useListPosition } from './use-list-position.ts';
import { useRowExtras } from './use-row-extras.tsx';
import { HEAD_HEIGHT, useTableRows } from './use-table-rows.ts';

/** Elements inside a row that handle their own clicks. */
const CONTROLS = 'button, input, label, select, [role=menu], a:not([data-row-link])';

export interface RowHandlers {
  onClick: (index: number, event: MouseEvent) => void;
  onAuxClick: (index: number, event: MouseEvent) => void;
  onCheck: (index: number, event: MouseEvent) => void;
  onContextMenu: (index: number, event: MouseEvent) => void;
}

/** Pointer handlers with a stable identity, so that rows do not rerender while scrolling. */
function useRowHandlers(
  actions: RowActions,
  activate: (row: number) => void,
  canSelect: boolean,
  openMenu: (index: number, column: number, at: { x: number; y: number }) => void,
  pressedText: { readonly current: boolean },
): RowHandlers {
  const latest = useRef({ actions, activate, canSelect, openMenu });
  latest.current = { actions, activate, canSelect, openMenu };
  const [handlers] = useState<RowHandlers>(() => ({
    onClick: (index, event) => {
      const target = event.target as Element;
      // React also delivers events of a menu that a control of the row opened, although it is elsewhere in the page.
      if (event.defaultPrevented || !event.currentTarget.contains(target) || target.closest(CONTROLS)) return;
      const { actions: now, activate: take, canSelect: selects } = latest.current;
      take(index);
      // The press chose text, to be copied.
      if (hasChosenText(event.currentTarget)) return event.preventDefault();
      const isElsewhere = event.ctrlKey || event.metaKey;
      // The link itself opens new tabs and windows.
      if (isElsewhere && target.closest('[data-row-link]')) return;
      event.preventDefault();
      if (event.shiftKey && selects) now.select(index, 'extend');
      else now.open(index, isElsewhere);
    },
    onAuxClick: (index, event) => {
      const target = event.target as Element;
      if (event.button !== 1 || target.closest(CONTROLS) || target.closest('[data-row-link]')) return;
      latest.current.actions.open(index, true);
    },
    onCheck: (index, event) => {
      event.preventDefault();
      latest.current.activate(index);
      latest.current.actions.select(index, event.shiftKey ? 'extend' : 'toggle');
    },
    onContextMenu: (index, event) => {
      if (!event.currentTarget.contains(event.target as Element)) return;
      // Chosen text keeps the browser's own menu, with its Copy. On macOS the press itself chooses the word below it.
      if (pressedText.current && hasChosenText(event.currentTarget)) return;
      event.preventDefault();
      // By its place: the link of the row lies below all cells.
      const column = [...event.currentTarget.querySelectorAll(':scope > [data-column]')].findIndex((cell) => {
        const { left, right } = cell.getBoundingClientRect();
        return event.clientX >= left && event.clientX <= right;
      });
      latest.current.activate(index);
      latest.current.openMenu(index, column, { x: event.clientX, y: event.clientY });
    },
  }));
  return handlers;
}

/** Whether text of the element is selected, as for copying it. */
function hasChosenText(element: Element): boolean {
  const selection = getSelection();
  return selection?.type === 'Range' && selection.containsNode(element, true);
}

function activeId(id: string, { row, column }: ActiveCell): string {
  return row < 0 ? `${id}-h${column}` : `${id}-r${row}`;
}

/** The table of every screen (ui.md 5.1): virtual rows, one tab stop, any number of rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { source } = props;
  if (source.error && source.total === undefined) {
    return <ErrorPanel error={source.error} onRetry={source.retry} />;
  }
  return source.total === 0 ? props.empty : <Grid {...props} />;
}

function Grid<Row>(props: DataTableProps<Row>) {
  const { source, selection } = props;
  const layout = 'all' in props.columns ? props.columns : undefined;
  const columns: LaidColumn<Row>[] = 'all' in props.columns ? props.columns.visible : props.columns;
  const { density } = usePreferences();
  const rowHeight = layout?.density ? DENSITY_HEIGHTS[layout.density] : (props.rowHeight ?? DENSITY_HEIGHTS[density]);
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { rows, activeRow } = useTableRows(props, { scroller, rowHeight });
  const total = source.total ?? 0;
  const isLoading = source.total === undefined;
  const isSlow = useDelayed(isLoading, 150);
  // The hub may be away: placeholders would promise rows that nobody has.
  const isLate = useDelayed(isLoading, 1500);
  const saved = useListPosition(props.label, (): ListPosition | undefined => {
    const { first } = rows;
    const row = source.rowAt(first);
    const hadFocus = frame.current?.contains(document.activeElement) ?? false;
    return isLoading ? undefined : { first, firstKey: row && props.rowKey(row), active: cell, hadFocus };
  });
  const { cell, set } = useActiveCell(props, columns.length, saved?.active ?? { row: 0, column: 0 });
  const actions = rowActions(props);
  const takeFocus = (): void => {
    // An open side panel keeps the focus while its rows change.
    if (!document.activeElement?.closest('aside')) scroller.current?.focus({ preventScroll: true });
    scroller.current?.setAttribute('data-keys', '');
  };
  const sortBy = ({ sort: key }: Column<Row>): void => {
    if (key && props.onSort) props.onSort(nextSort(key, props.sort));
  };
  const scrollTo = useRowInView(props, cell.row, {
    scroller,
    rowHeight,
    topOf: rows.topOf,
    scrollTo: rows.scrollToRow,
  });
  useGridCommands({
    table: props,
    columns,
    frame,
    actions,
    cell,
    setCell: set,
    takeFocus,
    sortBy,
    pageRows: () => Math.max(Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2, 1),
    scrollTo,
    resizeBy: (column, pixels) => {
      const head = document.getElementById(`${id}-h${columns.indexOf(column)}`);
      layout?.resize(column.id, (head?.offsetWidth ?? column.width) + pixels);
    },
  });
  activeRow.current = cell.row;
  useReturn(saved, props, { scroller, scrollTo: (row) => rows.scrollToRow(row, 'start') });
  useFocusAfterPanel(props.isMain === true, props.openKey, scroller);
  const onFocus = useFocusAfterRow(scroller);
  const { openMenu, extras } = useRowExtras({
    table: props,
    columns,
    allColumns: layout?.all ?? columns,
    actions,
    cell,
    frame,
    scroller,
    takeFocus,
  });
  const pressedText = useRef(false);
  const handlers = useRowHandlers(actions, (row) => set({ row }), selection !== undefined, openMenu, pressedText);
  const laid = columns as LaidColumn<never>[];
  const contents = useContentWidths(scroller, laid, source.rowAt(rows.first) !== undefined);
  const grid = gridLayout(laid, selection !== undefined, contents);
  const selectedCount = selection?.value.rows.size ?? 0;
  const showHeld = (): void => {
    rows.scrollToRow(props.growsAtEnd ? total - 1 : 0);
    props.onShowHeld?.();
  };
  const onMouseDown = (event: MouseEvent): void => {
    scroller.current?.removeAttribute('data-keys');
    pressedText.current = hasChosenText(event.currentTarget);
    const target = event.target as Element;
    // The middle button opens a row in a new tab; on Windows it would begin to scroll.
    if (event.button === 1) event.preventDefault();
    if (event.button !== 0 || !event.currentTarget.contains(target) || target.closest(CONTROLS)) return;
    // A press that selects rows selects no text.
    if (event.shiftKey || target.closest('[role=checkbox]')) event.preventDefault();
    scroller.current?.focus({ preventScroll: true });
  };
  return (
    <div className="stack fills" style={{ position: 'relative' }} ref={frame}>
      {props.heldText !== undefined && (
        <UnstyledButton
          className={`small name ${classes['pill']}`}
          data-end={props.growsAtEnd || undefined}
          onClick={showHeld}
        >
          {props.heldText}
        </UnstyledButton>
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
        aria-activedescendant={isLoading ? undefined : activeId(id, cell)}
        data-stale={source.isStale || undefined}
        onFocus={onFocus}
        onMouseDown={onMouseDown}
      >
        <div className={classes['inner']} style={{ minWidth: grid.minWidth }}>
          <TableHead
            id={id}
            columns={columns}
            layout={layout}
            grid={grid}
            sort={props.sort}
            onSort={props.onSort}
            activeColumn={cell.row < 0 ? cell.column : undefined}
            selection={
              selection && {
                count: selectedCount,
                isAll: total > 0 && selectedCount >= (props.groups?.rowCount ?? total),
                toggleAll: () => (selectedCount > 0 ? actions.clearSelection() : actions.select(0, 'all')),
              }
            }
          />
          <TableBody
            id={id}
            table={props}
            columns={columns}
            rowHeight={rowHeight}
            rows={rows}
            grid={grid}
            cell={cell}
            isSlow={isSlow && !isLate}
            handlers={handlers}
          />
        </div>
      </div>
      {isLate && (
        <p className={`soft ${classes['waiting']}`} role="status">
          Nothing loaded yet. Waiting for Homeport.
        </p>
      )}
      {extras}
    </div>
  );
}

/** Returns to the row where the person was: by index first, and by its key once its page has loaded. */
function useReturn<Row>(
  saved: ListPosition | undefined,
  { source, rowKey }: DataTableProps<Row>,
  grid: { scroller: { current: HTMLElement | null }; scrollTo: (row: number) => void },
): void {
  const step = useRef<'go' | 'adjust' | 'done'>(saved ? 'go' : 'done');
  const latest = useEffectEvent(() => grid);
  useEffect(() => {
    if (!saved || step.current === 'done' || source.total === undefined) return;
    if (step.current === 'go') {
      if (saved.hadFocus) latest().scroller.current?.focus({ preventScroll: true });
      if (saved.hadFocus) latest().scroller.current?.setAttribute('data-keys', '');
      // A new list shows its first row already.
      if (saved.first > 0) latest().scrollTo(saved.first);
      step.current = 'adjust';
    }
    if (source.rowAt(saved.first) === undefined) return;
    step.current = 'done';
    const now = saved.firstKey === undefined ? undefined : indexOfKey(saved.firstKey, saved.first, { rowKey, source });
    if (now !== undefined && now !== saved.first) latest().scrollTo(now);
  }, [saved, source, rowKey]);
}

/**
 * A visible active row stays visible when rows come above it. At the top, new rows are to be seen and push it down.
 * Returns a function that scrolls to the row that becomes active.
 */
function useRowInView<Row>(
  { source, rowKey }: DataTableProps<Row>,
  row: number,
  grid: {
    scroller: { current: HTMLElement | null };
    rowHeight: number;
    topOf: (row: number) => number;
    scrollTo: (row: number) => void;
  },
): (row: number) => void {
  const before = useRef<{ row: number; key: string | undefined }>(undefined);
  const at = (index: number): { row: number; key: string | undefined } => {
    const found = source.rowAt(index);
    return { row: index, key: found && rowKey(found) };
  };
  useLayoutEffect(() => {
    const last = before.current;
    const now = at(row);
    before.current = now;
    // A last row that is not read yet is known by its place.
    const isKnown = now.key !== undefined || row === (source.total ?? 0) - 1;
    const isMoved = last !== undefined && last.row !== row && isKnown && last.key === now.key;
    if (!isMoved) return;
    // Read only now: after each render, reading would make the browser lay out the page at once.
    const { scrollTop = 0, clientHeight = 0 } = grid.scroller.current ?? {};
    if (scrollTop < grid.rowHeight) return;
    const top = grid.topOf(last.row);
    const isVisible = top >= scrollTop && top + grid.rowHeight <= scrollTop + clientHeight - HEAD_HEIGHT;
    if (isVisible) grid.scrollTo(row);
  });
  return (index) => {
    before.current = at(index);
    grid.scrollTo(index);
  };
}

/** Closing the panel of a row returns the focus to the list, unless the focus is elsewhere. */
function useFocusAfterPanel(
  isMain: boolean,
  openKey: string | undefined,
  scroller: { current: HTMLElement | null },
): void {
  const before = useRef(openKey);
  useEffect(() => {
    const wasOpen = before.current !== undefined;
    before.current = openKey;
    if (isMain && wasOpen && openKey === undefined) focusIfLost(scroller.current);
  }, [isMain, openKey, scroller]);
}

/** A row that goes away with the focus in it, for example when it is deleted with its menu, gives the focus to the list. */
function useFocusAfterRow(scroller: { current: HTMLElement | null }): (event: FocusEvent) => void {
  const last = useRef<Element>(undefined);
  useEffect(() => {
    if (!last.current || last.current.isConnected) return;
    last.current = undefined;
    focusIfLost(scroller.current);
  });
  return ({ currentTarget, target }) => {
    // React also reports the focus in dialogs that a row opens.
    if (!currentTarget.contains(target)) return;
    last.current = target;
    // The grid is the only tab stop: it takes the focus back from a row's link. Not at once, as a browser that moves the
    // focus for a press selects no text when that fails.
    if (!target.matches('[data-row-link]')) return;
    setTimeout(() => {
      if (document.activeElement === target) scroller.current?.focus({ preventScroll: true });
    });
  };
}
