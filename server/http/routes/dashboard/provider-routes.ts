import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { viewProvider, viewProviderDetail } from '../../dashboard/provider-view.ts';

type Keys = 'GET /api/v1/providers' | 'GET /api/v1/providers/:provider';

export function providerRoutes({ catalog }: Pick<DashboardParts, 'catalog'>): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/providers': () => {
      const rows = catalog.list().map(viewProvider);
      return { data: rows.sort((a, b) => a.displayName.localeCompare(b.displayName, 'en')) };
    },

    'GET /api/v1/providers/:provider': ({ params: { provider } }) => {
      const entry = catalog.find(provider);
      if (!entry) throw new HomeportError('not_found', `There is no provider "${provider}" in the catalogue.`);
      return viewProviderDetail(entry);
    },
  };
}
