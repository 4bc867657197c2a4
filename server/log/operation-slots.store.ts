import type { ReadHandle } from '../platform/database/database.ts';
import { fromIndex, type OperationFilter, operationConditions } from './operation-conditions.store.ts';

export type PeriodFilter = OperationFilter & { from: number; to: number };
export interface Bucketing {
  sizeMs: number;
  offsetMs: number;
}

/** Each bucket is a range of the index. Rows that are grouped by a computed bucket are all sorted first. */
export async function listSlots(
  db: ReadHandle,
  { from, to, ...filter }: PeriodFilter,
  { sizeMs, offsetMs }: Bucketing,
  columns: string,
): Promise<Array<{ bucket: number; values: string[]; count: number }>> {
  const where = operationConditions(filter);
  const first = Math.floor((from - offsetMs) / sizeMs);
  const slots = Array.from({ length: Math.floor((to - offsetMs) / sizeMs) - first + 1 }, (_, at) => first + at);
  const rows = await db.all<{ bucket: number; counts: string }>(
    `SELECT slot.value AS bucket, (
       SELECT json_group_array(json_array(count, ${columns})) FROM (
         SELECT ${columns}, count(*) AS count ${fromIndex(filter)} WHERE ${where.sql}
           AND created_at >= max(?, slot.value * ? + ?) AND created_at <= min(?, slot.value * ? + ?) GROUP BY ${columns})
     ) AS counts FROM json_each(?) AS slot`,
    [...where.params, from, sizeMs, offsetMs, to, sizeMs, offsetMs + sizeMs - 1, JSON.stringify(slots)],
  );
  return rows.flatMap(({ bucket, counts }) =>
    (JSON.parse(counts) as Array<[number, ...string[]]>).map(([count, ...values]) => ({ bucket, values, count })),
  );
}
