/** Selected rows by their key, and the anchor of a Shift selection. Whole rows are kept, so that they can be copied. */
export interface Selection<Row = unknown> {
  rows: ReadonlyMap<string, Row>;
  anchor: string | undefined;
}

export const NOTHING_SELECTED: Selection<never> = { rows: new Map<string, never>(), anchor: undefined };

interface Rows<Row> {
  total: number;
  rowAt: (index: number) => Row | undefined;
  rowKey: (row: Row) => string;
}

/** Adds the rows between the anchor and `to`; rows that are not loaded are skipped. */
export function extendSelection<Row>(old: Selection<Row>, to: number, { total, rowAt, rowKey }: Rows<Row>) {
  const rows = new Map(old.rows);
  let from = to;
  for (let index = 0; index < total && old.anchor !== undefined; index += 1) {
    const row = rowAt(index);
    if (row === undefined || rowKey(row) !== old.anchor) continue;
    from = index;
    break;
  }
  for (let index = Math.min(from, to); index <= Math.max(from, to); index += 1) {
    const row = rowAt(index);
    if (row !== undefined) rows.set(rowKey(row), row);
  }
  const end = rowAt(to);
  return { rows, anchor: old.anchor ?? (end && rowKey(end)) };
}

export function toggleSelection<Row>(old: Selection<Row>, key: string, row: Row): Selection<Row> {
  const rows = new Map(old.rows);
  if (!rows.delete(key)) rows.set(key, row);
  return { rows, anchor: key };
}

/** Selects exactly these rows. */
export const selectRows = <Row>(rows: readonly Row[], rowKey: (row: Row) => string): Selection<Row> => ({
  rows: new Map(rows.map((row) => [rowKey(row), row])),
  anchor: undefined,
});
