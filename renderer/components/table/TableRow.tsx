import { Checkbox } from '@mantine/core';
import { type MouseEvent, memo } from 'react';
import type { Column } from './columns.ts';
import classes from './DataTable.module.css';

export interface TableRowProps<Row> {
  id: string;
  index: number;
  row: Row | undefined;
  columns: Column<Row>[];
  template: string;
  top: number;
  height: number;
  isActive: boolean;
  isOpen: boolean;
  isSelected: boolean | undefined;
  isDim: boolean;
  onClick: (index: number, event: MouseEvent) => void;
  onCheck: (index: number, event: MouseEvent) => void;
}

function Row<R>(props: TableRowProps<R>) {
  const { row, index, columns } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it takes the keys.
    <div
      id={props.id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={props.isSelected ?? props.isOpen}
      className={classes['row']}
      data-active={props.isActive || undefined}
      data-open={props.isOpen || undefined}
      data-selected={props.isSelected || undefined}
      data-dim={props.isDim || undefined}
      style={{ gridTemplateColumns: props.template, height: props.height, transform: `translateY(${props.top}px)` }}
      onClick={(event) => props.onClick(index, event)}
    >
      {props.isSelected !== undefined && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Space on the row does the same.
        <div
          role="gridcell"
          tabIndex={-1}
          className={classes['check']}
          onClick={(event) => {
            event.preventDefault();
            event.stopPropagation();
            props.onCheck(index, event);
          }}
        >
          <Checkbox tabIndex={-1} aria-label="Select row" checked={props.isSelected} readOnly />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.id} role="gridcell" tabIndex={-1} className={classes['cell']} data-align={column.align}>
          {row === undefined ? <span className={classes['ghost']} /> : column.cell(row, props.isActive)}
        </div>
      ))}
    </div>
  );
}

/** A row is drawn again only when something of its own changed. */
export const TableRow = memo(Row) as typeof Row;
