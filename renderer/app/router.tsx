import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import {
  createBrowserRouter,
  Navigate,
  type RouteObject,
  useParams,
  useRouteError,
  useSearchParams,
} from 'react-router';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useEnv } from '../api/use-env.ts';
import { ErrorPanel } from '../components/ErrorPanel.tsx';
import { NotFoundPage } from '../components/NotFoundPage.tsx';
import { isMissingPart, MISSING_PART } from '../components/PanelBoundary.tsx';
import { usePage } from '../components/page-context.ts';
import { paths } from '../lib/paths.ts';
import { readStored } from '../lib/stored.ts';
import { FirstRun, useOpensFirstRun } from './FirstRun.tsx';
import { InEnvironment } from './InEnvironment.tsx';
import { Shell } from './Shell.tsx';

interface ShownBy {
  screen: ComponentType;
  alsoShows: string[];
}

/** A screen starts again with another environment or object, so that nothing typed or chosen moves on to the next. */
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
  screen('', async () => (await import('../features/overview/Overview.tsx')).Overview),
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
    'integrations/define/:provider?',
    async () => (await import('../features/integrations/ProviderEntryPage.tsx')).ProviderEntryPage,
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
  screen('playground', async () => (await import('../features/playground/PlaygroundPage.tsx')).PlaygroundPage),
  screen('api', async () => (await import('../features/api-reference/ApiReference.tsx')).ApiReference),
  screen('apps', async () => (await import('../features/apps/AppsPage.tsx')).AppsPage),
  screen(
    'notifications',
    async () => (await import('../features/notifications/NotificationPage.tsx')).NotificationPage,
  ),
  screen('mcp', async () => (await import('../features/mcp/McpPage.tsx')).McpPage),
  screen(
    'environment-settings',
    async () => (await import('../features/settings/EnvironmentSettings.tsx')).EnvironmentSettings,
  ),
  screen('import', async () => (await import('../features/transfer/ImportPage.tsx')).ImportPage),
  screen('export', async () => (await import('../features/transfer/ExportPage.tsx')).ExportPage),
  { path: 'activity', element: <Navigate to="../logs" replace /> },
  { path: '*', element: <NotFound /> },
];

export const createRouter = () =>
  createBrowserRouter(
    [
      { path: '/', element: <HomeRedirect />, errorElement: <RouteError /> },
      { path: '/quick-panel', element: <HomeRedirect screen="quick" /> },
      { path: '/import', element: <HomeRedirect screen="import" /> },
      { path: '/export', element: <HomeRedirect screen="export" /> },
      { path: '/welcome', element: <FirstRun />, errorElement: <RouteError /> },
      {
        path: '/:env/getting-started',
        element: (
          <InEnvironment>
            <FirstRun />
          </InEnvironment>
        ),
        errorElement: <RouteError />,
      },
      {
        ...screen('/:env/quick', async () => (await import('../features/quick/QuickPanel.tsx')).QuickPanel),
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
      },
      {
        path: '/settings',
        element: <Shell />,
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
        children: [
          {
            errorElement: <RouteError />,
            children: [
              { index: true, element: <Navigate to="general" replace /> },
              screen(
                ':section',
                async () => (await import('../features/settings/ApplicationSettings.tsx')).ApplicationSettings,
              ),
            ],
          },
        ],
      },
      {
        path: '/:env',
        element: (
          <InEnvironment>
            <Shell />
          </InEnvironment>
        ),
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
        children: [{ errorElement: <RouteError />, children: SCREENS }],
      },
    ],
    { basename: '/app' },
  );

/**
 * To the environment and screen that were open last, or to the first run of a new hub; `?open=callback`, from a failed
 * sign-in, to what explains it.
 */
function HomeRedirect({ screen: wanted }: { screen?: string }) {
  const { data } = useQuery(metaQueryOptions());
  const [query] = useSearchParams();
  const last = readStored('lastPlace', { env: '', screen: '' });
  const known = data?.environments.find((one) => one.name === last.env) ?? data?.environments[0];
  const env = known?.name ?? 'dev';
  const opensFirstRun = useOpensFirstRun(env);
  if (query.get('open') === 'callback') {
    const pasted = new URLSearchParams({ pasted: query.get('pasted') ?? '' });
    return <Navigate to={`${paths.callback(env)}?${pasted}`} replace />;
  }
  if (wanted) return <Navigate to={`/${env}/${wanted}`} replace />;
  if (opensFirstRun === undefined) return null;
  if (opensFirstRun) return <Navigate to={env === 'dev' ? '/welcome' : paths.gettingStarted(env)} replace />;
  return <Navigate to={`/${env}/${last.screen}`} replace />;
}

function NotFound() {
  const env = useEnv();
  usePage([{ label: 'Not found' }]);
  return <NotFoundPage message="This address leads nowhere" to={paths.overview(env)} toLabel="Go to the overview" />;
}

function RouteError() {
  const error = useRouteError();
  if (isMissingPart(error))
    return <ErrorPanel message={MISSING_PART} code="missing_part" retry="Reload" onRetry={() => location.reload()} />;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected';
  return (
    <ErrorPanel
      message="This page stopped working. Reload to try again."
      code={text}
      onRetry={() => location.reload()}
    />
  );
}
