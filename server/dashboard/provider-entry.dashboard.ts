import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { providerEntryRouteShapes } from './dashboard-provider-entries.contract.ts';

/** Handlers for the provider entries that a person writes in the dashboard. */
export function providerEntryHandlers({
  providerEntries,
}: Pick<DashboardParts, 'providerEntries'>): DashboardHandlers<keyof typeof providerEntryRouteShapes> {
  return {
    'GET /api/v1/provider-entries': () => providerEntries.findings(),

    'POST /api/v1/provider-entries/check': async ({ body: { file, text } }) => {
      const { entries, problems, warnings } = await providerEntries.check({ path: file, text });
      return {
        entries: entries.map((entry) => ({
          name: entry.name,
          displayName: entry.display_name,
          authMode: entry.auth_mode,
          baseUrl: entry.proxy?.base_url ?? null,
          source: entry.source === 'override' ? ('override' as const) : ('workspace' as const),
          isThere: entry.isThere,
        })),
        problems,
        warnings,
      };
    },

    'POST /api/v1/provider-entries/import': ({ body: { file, text, replaces } }) =>
      providerEntries.importFile({ path: file, text }, replaces),

    'POST /api/v1/provider-entries/propose': ({ body: { auth, provider, ...given } }) =>
      providerEntries.propose(given, { provider, auth }),

    'POST /api/v1/provider-entries/try': ({ body }) => providerEntries.try(body),

    'GET /api/v1/provider-entries/:provider': ({ params }) => providerEntries.read(params.provider),

    'PUT /api/v1/provider-entries/:provider': ({ params, body }) => providerEntries.save(params.provider, body.text),

    'DELETE /api/v1/provider-entries/:provider': async ({ params }) => {
      await providerEntries.remove(params.provider);
      return { success: true } as const;
    },
  };
}
