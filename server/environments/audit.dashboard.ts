import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSnapshot, readSort, viewCount } from '../dashboard/api/list-page.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { AuditAction, AuditRow } from './dashboard-audit.contract.ts';

export function auditRoutes({ audit }: Pick<DashboardParts, 'audit'>): DashboardHandlers<'GET /api/v1/audit'> {
  return {
    'GET /api/v1/audit': async ({ environment, query }) => {
      const { actions, apps, during, grouped, integrations, limit, offset, results, search } = query;
      const [from, to] = during?.split(',').map(Number) ?? [];
      const isAscending = readSort(query.sort ?? '-time').direction === 'asc';
      const { entries, snapshot, ...found } = await audit.list(
        {
          environmentId: environment.id,
          actions,
          apps,
          integrations,
          results,
          search: search?.trim(),
          snapshot: readSnapshot(query.snapshot),
          from,
          to,
          isGrouped: grouped,
        },
        { offset, limit, isAscending, isExactCount: query.count === 'exact' },
      );
      return { data: entries.map(viewEntry), ...viewCount(found), snapshot: String(snapshot) };
    },
  };
}

type Entry = Awaited<ReturnType<DashboardParts['audit']['list']>>['entries'][number];

function viewEntry({ action, at, environmentId: _, firstAt, seq, ...entry }: Entry): AuditRow {
  return { id: String(seq), at: isoDate(at), firstAt: isoDate(firstAt), action: action as AuditAction, ...entry };
}
