import { UnstyledButton } from '@mantine/core';
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { type DragEvent, type PointerEvent, useRef, useState } from 'react';
import { COLUMN_GAP, type LaidColumn } from './columns.ts';
import classes from './DataTable.module.css';
import { Tick } from './Tick.tsx';
import type { ColumnLayout } from './use-column-layout.ts';

interface TableHeadProps<Row> {
  columns: LaidColumn<Row>[];
  layout: ColumnLayout<Row> | undefined;
  grid: { template: string; pins: ReadonlyMap<string, number> };
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
  /** Column with the keyboard focus, when the header has it. */
  activeColumn: number | undefined;
  selection: { count: number; isAll: boolean; toggleAll: () => void } | undefined;
  id: string;
}

type Direction = 'ascending' | 'descending';

const directionOf = (key: string | undefined, sort: string | undefined): Direction | undefined => {
  if (key === undefined || sort === undefined) return undefined;
  if (sort === key) return 'ascending';
  return sort === `-${key}` ? 'descending' : undefined;
};

/** A second click reverses the order. */
export const nextSort = (key: string, sort: string | undefined): string => (sort === key ? `-${key}` : key);

export function TableHead<Row>(props: TableHeadProps<Row>) {
  const { columns, layout, grid, selection, id } = props;
  const [dragged, setDragged] = useState<string>();
  const [target, setTarget] = useState<string>();
  const checked = selection?.isAll || (selection !== undefined && selection.count > 0 && 'mixed');
  const drag = (column: LaidColumn<Row>) =>
    layout && {
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move';
        setDragged(column.id);
      },
      onDragOver: (event: DragEvent) => {
        if (dragged === undefined) return;
        event.preventDefault();
        setTarget(column.id);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        if (dragged !== undefined && dragged !== column.id) layout.moveTo(dragged, column.id);
      },
      onDragEnd: () => {
        setDragged(undefined);
        setTarget(undefined);
      },
    };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid is the one tab stop.
    <div
      className={`note line-below sunken soft name ${classes['head']}`}
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: grid.template }}
    >
      {selection && (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the grid is the one tab stop; its keys do the same.
        <div
          role="columnheader"
          className={`grid ${classes['check']}`}
          data-pinned={grid.pins.size > 0 || undefined}
          onClick={selection.toggleAll}
        >
          {/* biome-ignore lint/a11y/useFocusableInteractive: as above. */}
          <span role="checkbox" aria-label="Select all rows" aria-checked={checked}>
            <Tick state={checked} />
          </span>
        </div>
      )}
      {columns.map((column, index) => {
        const direction = directionOf(column.sort, props.sort);
        const pin = grid.pins.get(column.id);
        return (
          // biome-ignore lint/a11y/useFocusableInteractive: the grid is the one tab stop.
          <div
            key={column.id}
            id={`${id}-h${index}`}
            role="columnheader"
            className={`row gap-0 ${classes['headCell']}`}
            data-column
            data-align={column.align}
            data-active={props.activeColumn === index || undefined}
            data-sorted={direction !== undefined || undefined}
            data-pinned={pin !== undefined || undefined}
            data-target={(target === column.id && dragged !== column.id) || undefined}
            style={pin === undefined ? undefined : { left: pin - COLUMN_GAP }}
            {...(direction ? { 'aria-sort': direction } : {})}
            {...drag(column)}
          >
            <HeadText column={column} sort={props.sort} onSort={props.onSort} direction={direction} />
            {layout && <ResizeHandle column={column} layout={layout} />}
          </div>
        );
      })}
    </div>
  );
}

interface HeadTextProps<Row> extends Pick<TableHeadProps<Row>, 'sort' | 'onSort'> {
  column: LaidColumn<Row>;
  direction: Direction | undefined;
}

function HeadText<Row>({ column, sort, onSort, direction }: HeadTextProps<Row>) {
  const Arrow = direction === 'ascending' ? IconSortAscending : IconSortDescending;
  const key = column.sort;
  if (!onSort || key === undefined) return <span className="cut">{column.header}</span>;
  return (
    <UnstyledButton tabIndex={-1} onClick={() => onSort(nextSort(key, sort))}>
      <span className="cut">{column.header}</span>
      {direction && <Arrow size={14} stroke={1.6} aria-hidden />}
    </UnstyledButton>
  );
}

/** Dragged with the pointer; Shift with the arrow keys does the same in the head. A double click resets it. */
function ResizeHandle<Row>({ column, layout }: { column: LaidColumn<Row>; layout: ColumnLayout<Row> }) {
  const start = useRef<{ x: number; width: number }>(undefined);
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? column.width };
  };
  return (
    <span
      aria-hidden
      className={classes['resize']}
      // The head cell is draggable to move the column; a drag from its edge must resize instead.
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => {
        if (start.current) layout.resize(column.id, start.current.width + event.clientX - start.current.x);
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onDoubleClick={() => layout.resetSize(column.id)}
    />
  );
}
