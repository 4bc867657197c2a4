import type { ReadHandle, SqlParams } from './database.ts';

/** Lists count this many rows unless they are asked for the exact number: further ones cost as much and say no more. */
const MOST_COUNTED = 10_000;

export interface RowCount {
  total: number;
  /** Present when there are more rows than `total`. */
  isTotalCut?: true;
}

/** Counts the rows that a statement without LIMIT returns. */
export async function countRows(
  db: ReadHandle,
  rows: string,
  params: SqlParams,
  { isExact }: { isExact: boolean },
): Promise<RowCount> {
  const limit = isExact ? '' : ` LIMIT ${MOST_COUNTED + 1}`;
  const found = await db.get<{ count: number }>(`SELECT count(*) AS count FROM (${rows}${limit})`, params);
  const count = found?.count ?? 0;
  return isExact || count <= MOST_COUNTED ? { total: count } : { total: MOST_COUNTED, isTotalCut: true };
}
