import { memo } from 'react';
import { COLUMN_GAP, type LaidColumn } from './columns.ts';
import classes from './DataTable.module.css';
import type { RowHandlers } from './DataTable.tsx';
import { Tick } from './Tick.tsx';

export interface TableRowProps<Row> extends RowHandlers {
  id: string;
  index: number;
  row: Row | undefined;
  /** The address of the row, which makes it a link. */
  href: string | undefined;
  columns: LaidColumn<Row>[];
  template: string;
  /** Compared by its template: the pins follow from the same widths. */
  grid: { template: string; pins: ReadonlyMap<string, number> };
  top: number;
  height: number;
  /** Column with the keyboard focus, in the row that has it. */
  activeColumn: number | undefined;
  isOpen: boolean;
  isSelected: boolean | undefined;
  isDim: boolean;
}

function Row<R>(props: TableRowProps<R>) {
  const { id, row, index, columns, activeColumn } = props;
  const { pins } = props.grid;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the grid around it takes focus and keys.
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={props.isSelected ?? props.isOpen}
      className={`hovers line-below ${classes['row']}`}
      data-active={activeColumn !== undefined || undefined}
      data-open={props.isOpen || undefined}
      data-selected={props.isSelected || undefined}
      data-dim={props.isDim || undefined}
      data-linked={props.href !== undefined || undefined}
      style={{ gridTemplateColumns: props.template, height: props.height, transform: `translateY(${props.top}px)` }}
      onClick={(event) => props.onClick(index, event)}
      onAuxClick={(event) => props.onAuxClick(index, event)}
      onContextMenu={(event) => props.onContextMenu(index, event)}
    >
      {props.isSelected !== undefined && (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: Space on the row does the same.
        <div
          role="gridcell"
          className={`grid ${classes['check']}`}
          data-pinned={pins.size > 0 || undefined}
          onClick={(event) => props.onCheck(index, event)}
        >
          {/* biome-ignore lint/a11y/useFocusableInteractive: the grid is the one tab stop. */}
          <span
            id={`${id}-check`}
            role="checkbox"
            aria-checked={props.isSelected}
            aria-label="Select"
            aria-labelledby={`${id}-check ${id}-name`}
          >
            <Tick state={props.isSelected} />
          </span>
        </div>
      )}
      {columns.map((column, columnIndex) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid is the one tab stop.
        <div
          key={column.id}
          {...(columnIndex === 0 && { id: `${id}-name` })}
          role="gridcell"
          className={`row gap-0 one-line ${classes['cell']}`}
          data-column
          data-align={column.align}
          data-active={(columnIndex > 0 && columnIndex === activeColumn) || undefined}
          data-pinned={pins.has(column.id) || undefined}
          data-end={column.isAtEnd || undefined}
          style={pins.has(column.id) ? { left: (pins.get(column.id) ?? 0) - COLUMN_GAP } : undefined}
        >
          {row === undefined ? (
            <span className={classes['ghost']} />
          ) : columnIndex === 0 && props.href !== undefined ? (
            <a href={props.href} className={classes['link']} tabIndex={-1} draggable={false} data-row-link>
              {column.cell(row, activeColumn !== undefined)}
            </a>
          ) : (
            column.cell(row, activeColumn !== undefined)
          )}
        </div>
      ))}
    </div>
  );
}

/** A row rerenders only when its own properties change. */
export const TableRow = memo(Row, (before, after) => {
  const names = Object.keys(after) as Array<keyof typeof after>;
  return names.every((name) => name === 'grid' || before[name] === after[name]);
}) as typeof Row;
