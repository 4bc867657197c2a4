import { Checkbox } from '@mantine/core';
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { Column } from './columns.ts';
import classes from './DataTable.module.css';

interface TableHeadProps<Row> {
  columns: Column<Row>[];
  template: string;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
  /** Column that has the keyboard, when the header has it. */
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

/** A second click turns the order round. */
export const nextSort = (key: string, sort: string | undefined): string => (sort === key ? `-${key}` : key);

export function TableHead<Row>({ columns, template, sort, onSort, activeColumn, selection, id }: TableHeadProps<Row>) {
  return (
    <div
      className={classes['head']}
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template }}
      tabIndex={-1}
    >
      {selection && (
        <div role="columnheader" tabIndex={-1} className={classes['check']}>
          <Checkbox
            tabIndex={-1}
            aria-label="Select all rows"
            checked={selection.isAll}
            indeterminate={selection.count > 0 && !selection.isAll}
            onChange={selection.toggleAll}
          />
        </div>
      )}
      {columns.map((column, index) => {
        const direction = directionOf(column.sort, sort);
        const Arrow = direction === 'ascending' ? IconSortAscending : IconSortDescending;
        const sortKey = onSort && column.sort;
        return (
          <div
            key={column.id}
            id={`${id}-h${index}`}
            role="columnheader"
            tabIndex={-1}
            className={classes['headCell']}
            data-align={column.align}
            data-active={activeColumn === index || undefined}
            data-sorted={direction !== undefined || undefined}
            {...(direction ? { 'aria-sort': direction } : {})}
          >
            {sortKey ? (
              <button type="button" tabIndex={-1} onClick={() => onSort(nextSort(sortKey, sort))}>
                <span className="cut">{column.header}</span>
                {direction && <Arrow size={14} stroke={1.6} aria-hidden />}
              </button>
            ) : (
              <span className="cut">{column.header}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
