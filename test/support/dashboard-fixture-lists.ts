import type { z } from 'zod';
import type { DashboardRouteKey, DashboardRoutes } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

export class FixtureRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Output<K extends DashboardRouteKey, Part extends string> =
  DashboardRoutes[K] extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined;
export type Handler<K extends DashboardRouteKey> = (
  input: { params: Output<K, 'params'>; query: Output<K, 'query'>; body: Output<K, 'body'> },
  state: FixtureState,
) => z.input<DashboardRoutes[K]['response']>;

interface Window {
  offset: number;
  limit: number;
  sort?: string | undefined;
}

export function page<Row>(rows: Row[], query: Window, keys: Record<string, (row: Row) => string | number | null>) {
  const key = query.sort?.replace(/^-/, '') ?? '';
  const read = keys[key];
  const sign = query.sort?.startsWith('-') ? -1 : 1;
  const compare = (a: Row, b: Row): number => {
    const [x, y] = [read?.(a) ?? '', read?.(b) ?? ''];
    return (x < y ? -1 : x > y ? 1 : 0) * sign;
  };
  const sorted = read ? [...rows].sort(compare) : rows;
  return {
    data: sorted.slice(query.offset, query.offset + query.limit),
    total: rows.length,
    snapshot: String(rows.length),
  };
}

/** A page of a list that is grouped when the query says so. */
export function groupedPage<Row extends { provider: string | null; status: string; integrationKey: string }>(
  rows: Row[],
  query: Window & { groupBy?: 'integration' | 'status' | undefined },
  keys: Record<string, (row: Row) => string | number | null>,
) {
  const { groupBy } = query;
  if (!groupBy) return page(rows, query, keys);
  const groupOf = (row: Row): string => (groupBy === 'status' ? row.status : row.integrationKey);
  const sorted = page(rows, { ...query, offset: 0, limit: rows.length }, keys).data;
  const groups = [...Map.groupBy(sorted, groupOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = groups.flatMap(([, some]) => some);
  return {
    data: all.slice(query.offset, query.offset + query.limit),
    total: all.length,
    snapshot: String(all.length),
    groups: groups.map(([value, some]) => ({
      value,
      label: null,
      provider: groupBy === 'status' ? null : (some[0]?.provider ?? null),
      count: some.length,
    })),
  };
}

export const has = (search: string | undefined, ...texts: (string | null)[]): boolean =>
  !search || texts.some((text) => text?.toLowerCase().includes(search.toLowerCase()));
export const within = (list: string[] | undefined, ...values: (string | null)[]): boolean =>
  !list || list.length === 0 || list.includes('all') || values.some((value) => value !== null && list.includes(value));

export function need<T>(value: T | undefined): T {
  if (value === undefined) throw new FixtureRefusal(404, 'not_found', 'There is no such object.');
  return value;
}
