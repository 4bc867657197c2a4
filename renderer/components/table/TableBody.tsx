import type { LaidColumn } from './columns.ts';
import classes from './DataTable.module.css';
import type { RowHandlers } from './DataTable.tsx';
import { TableRow, type TableRowProps } from './TableRow.tsx';
import type { DataTableProps } from './table-props.ts';
import type { ActiveCell } from './use-active-cell.ts';
import type { ShownRows } from './use-table-rows.ts';

const GHOSTS = 8;

interface TableBodyProps<Row> {
  id: string;
  table: DataTableProps<Row>;
  columns: LaidColumn<Row>[];
  rowHeight: number;
  rows: ShownRows;
  grid: TableRowProps<Row>['grid'];
  cell: ActiveCell;
  /** The first page takes long enough to show placeholders. */
  isSlow: boolean;
  handlers: RowHandlers;
}

export function TableBody<Row>(props: TableBodyProps<Row>) {
  const { id, table, columns, rowHeight, rows, grid, cell, isSlow, handlers } = props;
  const { source, selection } = table;
  const shared = { columns, template: grid.template, grid, height: rowHeight, ...handlers };
  const isLoading = source.total === undefined;
  return (
    <div role="rowgroup" className={classes['body']} style={{ height: isLoading ? GHOSTS * rowHeight : rows.height }}>
      {isSlow && <GhostRows id={id} shared={shared} hasSelection={selection !== undefined} />}
      {rows.items.map(({ index, top }) => {
        const isActive = index === cell.row;
        if (table.groups?.isHead(index))
          return table.groups.head({ index, id: `${id}-r${index}`, top, height: rowHeight, isActive });
        const row = source.rowAt(index);
        const key = row && table.rowKey(row);
        return (
          <TableRow
            key={key ?? `#${index}`}
            id={`${id}-r${index}`}
            {...shared}
            index={index}
            row={row}
            href={row && table.rowHref?.(row)}
            top={top}
            activeColumn={isActive ? cell.column : undefined}
            isOpen={key !== undefined && key === table.openKey}
            isSelected={selection && key !== undefined && selection.value.rows.has(key)}
            isDim={row !== undefined && (table.isDim?.(row) ?? false)}
          />
        );
      })}
    </div>
  );
}

type SharedProps<Row> = Pick<TableRowProps<Row>, 'columns' | 'template' | 'grid' | 'height' | keyof RowHandlers>;

function GhostRows<Row>({ id, shared, hasSelection }: { id: string; shared: SharedProps<Row>; hasSelection: boolean }) {
  return Array.from({ length: GHOSTS }, (_, index) => (
    <TableRow
      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key.
      key={index}
      id={`${id}-g${index}`}
      {...shared}
      index={index}
      row={undefined}
      href={undefined}
      top={index * shared.height}
      activeColumn={undefined}
      isOpen={false}
      isSelected={hasSelection ? false : undefined}
      isDim={false}
    />
  ));
}
