import type { Virtualizer } from '@tanstack/react-virtual';
import classes from './DataTable.module.css';
import { TableRow, type TableRowProps } from './TableRow.tsx';
import { type DataTableProps, DEFAULT_ROW_HEIGHT } from './table-props.ts';
import { HEAD_HEIGHT } from './use-table-rows.ts';

const GHOSTS = 8;

interface TableBodyProps<Row> {
  id: string;
  table: DataTableProps<Row>;
  virtual: Virtualizer<HTMLDivElement, Element>;
  template: string;
  activeRow: number;
  /** The first page takes long enough for placeholders. */
  isSlow: boolean;
  handlers: Pick<TableRowProps<Row>, 'onClick' | 'onCheck'>;
}

export function TableBody<Row>({ id, table, virtual, template, activeRow, isSlow, handlers }: TableBodyProps<Row>) {
  const { source, columns, selection, rowHeight = DEFAULT_ROW_HEIGHT } = table;
  const shared = { columns, template, height: rowHeight, ...handlers };
  const isLoading = source.total === undefined;
  return (
    <div
      role="rowgroup"
      className={classes['body']}
      style={{ height: isLoading ? GHOSTS * rowHeight : virtual.getTotalSize() }}
    >
      {isSlow && <GhostRows id={id} shared={shared} hasSelection={selection !== undefined} />}
      {virtual.getVirtualItems().map(({ index, start }) => {
        const row = source.rowAt(index);
        const key = row && table.rowKey(row);
        return (
          <TableRow
            key={key ?? `#${index}`}
            id={`${id}-r${index}`}
            {...shared}
            index={index}
            row={row}
            top={start - HEAD_HEIGHT}
            isActive={index === activeRow}
            isOpen={key !== undefined && key === table.openKey}
            isSelected={selection && key !== undefined && selection.value.keys.has(key)}
            isDim={row !== undefined && (table.isDim?.(row) ?? false)}
          />
        );
      })}
    </div>
  );
}

type SharedProps<Row> = Pick<TableRowProps<Row>, 'columns' | 'template' | 'height' | 'onClick' | 'onCheck'>;

function GhostRows<Row>({ id, shared, hasSelection }: { id: string; shared: SharedProps<Row>; hasSelection: boolean }) {
  return Array.from({ length: GHOSTS }, (_, index) => (
    <TableRow
      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else.
      key={index}
      id={`${id}-g${index}`}
      {...shared}
      index={index}
      row={undefined}
      top={index * shared.height}
      isActive={false}
      isOpen={false}
      isSelected={hasSelection ? false : undefined}
      isDim={false}
    />
  ));
}
