import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ErrorPanel } from '../ErrorPanel.tsx';
import { useDelayed } from '../use-delayed.ts';
import { type Column, gridTemplate, type RowSource } from './columns.ts';
import classes from './DataTable.module.css';
import { extendSelection, type Selection, toggleSelection } from './selection.ts';
import { nextSort, TableHead } from './TableHead.tsx';
import { TableRow } from './TableRow.tsx';
import { useGridKeys } from './use-grid-keys.ts';

const HEAD_HEIGHT = 32;
const GHOSTS = 8;

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

interface RowHandlers {
  onClick: (index: number, event: MouseEvent) => void;
  onCheck: (index: number, event: MouseEvent) => void;
}

/** Handlers that stay the same object, so that rows are not drawn again while scrolling. */
function useStable(handlers: RowHandlers): RowHandlers {
  const latest = useRef(handlers);
  latest.current = handlers;
  const [stable] = useState<RowHandlers>(() => ({
    onClick: (index, event) => latest.current.onClick(index, event),
    onCheck: (index, event) => latest.current.onCheck(index, event),
  }));
  return stable;
}

/** One table for every screen (ui.md 5.1): virtual rows, one tab stop, any number of rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { source, columns, rowHeight = 36, selection } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const total = source.total ?? 0;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { showRange } = source;
  useEffect(() => showRange(first, last), [showRange, first, last]);
  const isSlow = useDelayed(source.total === undefined && !source.error, 150);
  const atTop = (virtual.scrollOffset ?? 0) < rowHeight;
  const { onTopChange } = props;
  useEffect(() => onTopChange?.(atTop), [onTopChange, atTop]);

  const keyAt = (index: number): string | undefined => {
    const row = source.rowAt(index);
    return row && props.rowKey(row);
  };
  const select = (index: number, mode: 'toggle' | 'extend' | 'all'): void => {
    const key = keyAt(index);
    if (!selection || (key === undefined && mode === 'toggle')) return;
    if (mode === 'toggle') selection.onChange(toggleSelection(selection.value, index, key ?? ''));
    else if (mode === 'extend') selection.onChange(extendSelection(selection.value, index, keyAt));
    else selection.onChange(extendSelection({ ...selection.value, anchor: 0 }, total - 1, keyAt));
  };
  const open = (index: number, inNewWindow: boolean): void => {
    const row = source.rowAt(index);
    if (!row) return;
    if (inNewWindow && props.rowHref) window.open(props.rowHref(row), '_blank', 'noopener');
    else props.onOpen?.(row);
  };
  const grid = useGridKeys({
    total,
    columnCount: columns.length,
    pageRows: () => Math.max(Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2, 1),
    scrollTo: (row) => virtual.scrollToIndex(row),
    onMove: (row) => props.openKey !== undefined && open(row, false),
    onOpen: open,
    onHeader: (index) => {
      const key = columns[index]?.sort;
      if (key && props.onSort) props.onSort(nextSort(key, props.sort));
    },
    onSelect: select,
    onEscape: () => {
      if (props.openKey !== undefined) props.onClose?.();
      else if (selection && selection.value.keys.size > 0) selection.onChange({ keys: new Set(), anchor: 0 });
      else return false;
      return true;
    },
  });
  const onRowClick = (index: number, event: MouseEvent): void => {
    if ((event.target as Element).closest('button, a, input, [role=menu]')) return;
    grid.setActiveRow(index);
    if (event.shiftKey && selection) select(index, 'extend');
    else open(index, event.ctrlKey || event.metaKey);
  };
  const onCheck = (index: number, event: MouseEvent): void => select(index, event.shiftKey ? 'extend' : 'toggle');
  const handlers = useStable({ onClick: onRowClick, onCheck });

  if (source.error && source.total === undefined) {
    return <ErrorPanel {...props.describeError(source.error)} onRetry={source.retry} />;
  }
  if (source.total === 0) return <>{props.empty}</>;
  const layout = gridTemplate(columns as Column<never>[]);
  const template = selection ? `16px ${layout.template}` : layout.template;
  const minWidth = layout.minWidth + (selection ? 32 : 0);
  const isLoading = source.total === undefined;
  const shared = { columns, template, height: rowHeight, ...handlers };
  const activeId = isLoading
    ? undefined
    : grid.active.row < 0
      ? `${id}-h${grid.active.column}`
      : `${id}-r${grid.active.row}`;
  return (
    <div className={classes['frame']}>
      {(props.heldCount ?? 0) > 0 && (
        <button
          type="button"
          className={classes['pill']}
          onClick={() => {
            virtual.scrollToOffset(0);
            props.onShowHeld?.();
          }}
        >
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
        aria-activedescendant={activeId}
        data-stale={source.isStale || undefined}
        onKeyDown={grid.onKeyDown}
      >
        <div className={classes['inner']} style={{ minWidth }}>
          <TableHead
            id={id}
            columns={columns}
            template={template}
            sort={props.sort}
            onSort={props.onSort}
            activeColumn={grid.active.row < 0 ? grid.active.column : undefined}
            selection={
              selection && {
                count: selection.value.keys.size,
                isAll: selection.value.keys.size >= total,
                toggleAll: () =>
                  selection.value.keys.size > 0 ? selection.onChange({ keys: new Set(), anchor: 0 }) : select(0, 'all'),
              }
            }
          />
          <div
            role="rowgroup"
            className={classes['body']}
            style={{ height: isLoading ? GHOSTS * rowHeight : virtual.getTotalSize() }}
          >
            {isSlow &&
              Array.from({ length: GHOSTS }, (_, index) => (
                <TableRow
                  // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else.
                  key={index}
                  id={`${id}-g${index}`}
                  {...shared}
                  index={index}
                  row={undefined as Row | undefined}
                  top={index * rowHeight}
                  isActive={false}
                  isOpen={false}
                  isSelected={selection ? false : undefined}
                  isDim={false}
                />
              ))}
            {items.map((item) => {
              const row = source.rowAt(item.index);
              const key = row && props.rowKey(row);
              return (
                <TableRow
                  key={key ?? `#${item.index}`}
                  id={`${id}-r${item.index}`}
                  {...shared}
                  index={item.index}
                  row={row}
                  top={item.start - HEAD_HEIGHT}
                  isActive={item.index === grid.active.row}
                  isOpen={key !== undefined && key === props.openKey}
                  isSelected={selection ? key !== undefined && selection.value.keys.has(key) : undefined}
                  isDim={row !== undefined && (props.isDim?.(row) ?? false)}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
