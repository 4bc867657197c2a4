import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { viewProvider, viewProviderChange, viewProviderDetail } from '../../dashboard/provider-view.ts';

type Keys =
  | 'GET /api/v1/providers'
  | 'GET /api/v1/providers/:provider'
  | 'GET /api/v1/provider-changes'
  | 'POST /api/v1/providers/:provider/approve';

export function providerRoutes({ catalog }: Pick<DashboardParts, 'catalog'>): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/providers': () => {
      const rows = catalog.list().map(viewProvider);
      return { data: rows.sort((a, b) => a.displayName.localeCompare(b.displayName, 'en')) };
    },

    'GET /api/v1/providers/:provider': ({ params: { provider } }) => {
      const entry = catalog.find(provider);
      if (!entry) throw new HomeportError('not_found', catalog.explainMissing(provider));
      return viewProviderDetail(entry);
    },

    'GET /api/v1/provider-changes': () => ({ data: catalog.pending().map(viewProviderChange) }),

    'POST /api/v1/providers/:provider/approve': async ({ params: { provider }, body: { hash } }) => {
      if (!(await catalog.approve(provider, hash)))
        throw new HomeportError('conflict', `Nothing of this kind waits for "${provider}" any more. Look again.`);
      return { success: true } as const;
    },
  };
}
