import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, useParams, useSearchParams } from 'react-router';
import { HomeRedirect } from './HomeRedirect.tsx';
import { NotFound } from './NotFound.tsx';
import { RouteError } from './RouteError.tsx';
import { Shell } from './Shell.tsx';

interface ShownBy {
  screen: ComponentType;
  alsoShows: string[];
}

/** A screen begins anew with another environment or object, so that nothing typed or chosen moves on to the next. */
function KeyedScreen({ screen: Screen, alsoShows }: ShownBy) {
  const { tab: _, ...shown } = useParams();
  const [query] = useSearchParams();
  return <Screen key={JSON.stringify([shown, alsoShows.map((name) => query.get(name))])} />;
}

/** One chunk per screen. `alsoShows` names parameters of the query that say which object the screen shows. */
const screen = (path: string, load: () => Promise<ComponentType>, alsoShows: string[] = []): RouteObject => ({
  path,
  lazy: async () => {
    const shown: ShownBy = { screen: await load(), alsoShows };
    return { element: <KeyedScreen {...shown} /> };
  },
});

const SCREENS: RouteObject[] = [
  { index: true, element: <Navigate to="connections" replace /> },
  screen('integrations', async () => (await import('../features/integrations/IntegrationList.tsx')).IntegrationList),
  screen(
    'integrations/create',
    async () => (await import('../features/integrations/ProviderCatalogue.tsx')).ProviderCatalogue,
  ),
  screen(
    'integrations/create/:provider',
    async () => (await import('../features/integrations/CreateIntegration.tsx')).CreateIntegration,
  ),
  screen(
    'integrations/:integrationKey/functions/:name',
    async () => (await import('../features/functions/FunctionPage.tsx')).FunctionPage,
    ['type'],
  ),
  screen(
    'integrations/:integrationKey/callback',
    async () => (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor,
  ),
  screen('callback', async () => (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor),
  screen(
    'integrations/:integrationKey/:tab?',
    async () => (await import('../features/integrations/IntegrationPage.tsx')).IntegrationPage,
  ),
  screen('connections', async () => (await import('../features/connections/ConnectionList.tsx')).ConnectionList),
  screen('connections/create', async () => (await import('../features/connections/NewConnection.tsx')).NewConnection),
  screen(
    'connections/:integrationKey/:connectionId/records/:model',
    async () => (await import('../features/records/RecordTable.tsx')).RecordTable,
    ['variant'],
  ),
  screen(
    'connections/:integrationKey/:connectionId/:tab?',
    async () => (await import('../features/connections/ConnectionPage.tsx')).ConnectionPage,
  ),
  screen('functions', async () => (await import('../features/functions/FunctionList.tsx')).FunctionList),
  screen('webhooks', async () => (await import('../features/webhooks/WebhooksPage.tsx')).WebhooksPage),
  screen('logs', async () => (await import('../features/logs/LogExplorer.tsx')).LogExplorer),
  screen('api', async () => (await import('../features/api-reference/ApiReference.tsx')).ApiReference),
  screen('mcp', async () => (await import('../features/mcp/McpPage.tsx')).McpPage),
  screen(
    'environment-settings',
    async () => (await import('../features/settings/EnvironmentSettings.tsx')).EnvironmentSettings,
  ),
  { path: 'activity', element: <Navigate to="../logs" replace /> },
  { path: '*', element: <NotFound /> },
];

export const createRouter = () =>
  createBrowserRouter(
    [
      { path: '/', element: <HomeRedirect />, errorElement: <RouteError /> },
      {
        ...screen('/:env/quick', async () => (await import('../features/quick/QuickPanel.tsx')).QuickPanel),
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
      },
      {
        path: '/:env',
        element: <Shell />,
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
        children: [{ errorElement: <RouteError />, children: SCREENS }],
      },
    ],
    { basename: '/app' },
  );
