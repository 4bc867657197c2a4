import type { ComponentType } from 'react';

export interface ScreenLoader {
  /** Below the environment, in the router's path syntax. */
  path: string;
  load: () => Promise<ComponentType>;
  /** Query parameters that identify the object the screen shows. */
  alsoShows: string[];
}

const loader = (path: string, load: ScreenLoader['load'], alsoShows: string[] = []): ScreenLoader => ({
  path,
  load,
  alsoShows,
});

/** One chunk per screen. Where two paths match an address, the one with fewer parameters comes first. */
export const SCREEN_LOADERS: readonly ScreenLoader[] = [
  loader('', async () => (await import('../features/overview/Overview.tsx')).Overview),
  loader('integrations', async () => (await import('../features/integrations/IntegrationList.tsx')).IntegrationList),
  loader(
    'integrations/create',
    async () => (await import('../features/integrations/ProviderCatalogue.tsx')).ProviderCatalogue,
  ),
  loader(
    'integrations/create/:provider',
    async () => (await import('../features/integrations/CreateIntegration.tsx')).CreateIntegration,
  ),
  loader(
    'integrations/define/:provider?',
    async () => (await import('../features/integrations/ProviderEntryPage.tsx')).ProviderEntryPage,
  ),
  loader(
    'integrations/:integrationKey/functions/:name',
    async () => (await import('../features/functions/FunctionPage.tsx')).FunctionPage,
    ['type'],
  ),
  loader(
    'integrations/:integrationKey/callback',
    async () => (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor,
  ),
  loader('callback', async () => (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor),
  loader('integrations/:integrationKey/:tab?', async () => (await import('./IntegrationScreen.tsx')).IntegrationScreen),
  loader('connections', async () => (await import('../features/connections/ConnectionList.tsx')).ConnectionList),
  loader('connections/create', async () => (await import('../features/connections/NewConnection.tsx')).NewConnection),
  loader(
    'connections/:integrationKey/:connectionId/records/:model',
    async () => (await import('../features/records/RecordTable.tsx')).RecordTable,
    ['variant'],
  ),
  loader(
    'connections/:integrationKey/:connectionId/:tab?',
    async () => (await import('../features/connections/ConnectionPage.tsx')).ConnectionPage,
  ),
  loader('functions', async () => (await import('../features/functions/FunctionList.tsx')).FunctionList),
  loader('functions/create', async () => (await import('../features/functions/NewFunction.tsx')).NewFunction),
  loader('webhooks', async () => (await import('../features/webhooks/WebhooksPage.tsx')).WebhooksPage),
  loader('logs', async () => (await import('../features/logs/LogExplorer.tsx')).LogPage),
  loader('query', async () => (await import('../features/query/QueryPage.tsx')).QueryPage),
  loader('destinations', async () => (await import('../features/destinations/DestinationsPage.tsx')).DestinationsPage),
  loader('playground', async () => (await import('../features/playground/PlaygroundPage.tsx')).PlaygroundPage),
  loader('api', async () => (await import('../features/api-reference/ApiReference.tsx')).ApiReference),
  loader('apps', async () => (await import('../features/apps/AppsPage.tsx')).AppsPage),
  loader(
    'notifications',
    async () => (await import('../features/notifications/NotificationPage.tsx')).NotificationPage,
  ),
  loader('agents', async () => (await import('../features/agents/AgentsPage.tsx')).AgentsPage),
  loader(
    'environment-settings',
    async () => (await import('../features/settings/EnvironmentSettings.tsx')).EnvironmentSettings,
  ),
  loader('import', async () => (await import('../features/transfer/ImportPage.tsx')).ImportPage),
  loader('export', async () => (await import('../features/transfer/ExportPage.tsx')).ExportPage),
];

/** The screen of an address of the dashboard: `/app/dev/logs`. */
export function loaderOf(pathname: string): ScreenLoader | undefined {
  const [, app, environment, ...parts] = pathname.replace(/\/$/, '').split('/');
  if (app !== 'app' || !environment) return undefined;
  return SCREEN_LOADERS.find(({ path }) => {
    const names = path === '' ? [] : path.split('/');
    const least = names.filter((name) => !name.endsWith('?')).length;
    return (
      parts.length >= least &&
      parts.length <= names.length &&
      parts.every((part, index) => names[index]?.startsWith(':') || names[index] === part)
    );
  });
}
