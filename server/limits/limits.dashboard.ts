import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { LimitedRow, ShownLimits } from './dashboard-limits.contract.ts';
import { changeNamedLimits, listNamedLimits } from './limits.api.ts';
import type { CallLimits, LimitChanges, LimitedSubject } from './limits.service.ts';

type Use = Pick<DashboardParts, 'agentSessions' | 'environments' | 'limits'>;

export function limitsRoutes(use: Use): DashboardHandlers<'GET /api/v1/limits' | 'PUT /api/v1/limits'> {
  return {
    'GET /api/v1/limits': async ({ environment }) => ({
      data: (await listNamedLimits(use, environment)).map(viewLimited),
    }),

    'PUT /api/v1/limits': async ({ body, environment }) => {
      const { limits, ...of } = body;
      return viewLimited(await changeNamedLimits(use, environment, { ...of, limits: limits && given(limits) }));
    },
  };
}

/** Without the members that were left out. */
function given(limits: object): LimitChanges {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

export function viewLimits({ hosts, methods, ...counted }: CallLimits): ShownLimits {
  return { ...counted, hosts: hosts && [...hosts], methods: methods && [...methods] };
}

function viewLimited({ limited, name }: { limited: LimitedSubject; name: string | null }): LimitedRow {
  const { defaults, id, kind, limits, own, used } = limited;
  return { kind, id, name, limits: viewLimits(limits), own, defaults: viewLimits(defaults), used };
}
