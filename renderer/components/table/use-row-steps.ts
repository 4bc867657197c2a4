import type { RowSource } from './columns.ts';

/** Moves the open row by one: what `j` and `k` do inside a side panel. Looks among the rows that are loaded. */
export function useRowSteps<Row>(
  source: RowSource<Row>,
  rowKey: (row: Row) => string,
  openKey: string | undefined,
  open: (row: Row) => void,
): (step: 1 | -1) => void {
  return (step) => {
    for (let index = 0; index < (source.total ?? 0); index += 1) {
      const row = source.rowAt(index);
      if (row === undefined || rowKey(row) !== openKey) continue;
      const next = source.rowAt(index + step);
      if (next !== undefined) open(next);
      return;
    }
  };
}
