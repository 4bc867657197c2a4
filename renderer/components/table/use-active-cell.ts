import { useEffect, useRef, useState } from 'react';
import type { DataTableProps } from './table-props.ts';

/** Row -1 is the header. */
export interface ActiveCell {
  row: number;
  column: number;
}

interface ActiveState extends ActiveCell {
  key?: string | undefined;
  /** The row was not read yet when it became the active one: the last row stays the last until then. */
  unread?: 'last' | 'other' | undefined;
}

/** How far from its old index a row is searched. */
const REACH = 400;

/** The current index of the row with this key; rows above may have come or gone. */
export function indexOfKey<Row>(
  key: string,
  near: number,
  { rowKey, source }: Pick<DataTableProps<Row>, 'rowKey' | 'source'>,
): number | undefined {
  const isIt = (index: number): boolean => {
    const row = source.rowAt(index);
    return row !== undefined && rowKey(row) === key;
  };
  for (let step = 0; step <= REACH; step += 1) {
    if (isIt(near + step)) return near + step;
    if (near >= step && isIt(near - step)) return near - step;
  }
  return undefined;
}

/** The cell with the keyboard focus. It stays with its row when the rows around it move. */
export function useActiveCell<Row>(props: DataTableProps<Row>, columnCount: number, initial: ActiveCell) {
  const total = props.source.total ?? 0;
  const [active, setActive] = useState<ActiveState>(initial);
  const { openKey, rowKey, source } = props;
  const keyAt = (row: number): string | undefined => {
    const found = source.rowAt(row);
    return found && rowKey(found);
  };
  const found = active.key === undefined ? undefined : indexOfKey(active.key, active.row, props);
  const row = Math.min(found ?? (active.unread === 'last' ? total - 1 : active.row), total - 1);
  const read = active.unread && keyAt(row);
  if (read !== undefined) setActive({ ...active, row, key: read, unread: undefined });
  const set = (next: Partial<ActiveCell>): void => {
    const to = next.row ?? row;
    const key = keyAt(to);
    const unread = key !== undefined || to < 0 ? undefined : to === total - 1 ? 'last' : 'other';
    setActive({ row: to, column: Math.min(next.column ?? active.column, columnCount - 1), key, unread });
  };
  // A panel that was opened by the address makes its row the active one.
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (openKey === opened.current || total === 0) return;
    opened.current = openKey;
    if (openKey === undefined) return;
    const at = indexOfKey(openKey, Math.max(row, 0), { rowKey, source });
    if (at !== undefined) setActive((old) => ({ ...old, row: at, key: openKey }));
  }, [openKey, total, row, rowKey, source]);
  return { cell: { row, column: Math.min(active.column, columnCount - 1) }, set };
}
