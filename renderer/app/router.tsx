import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { HomeRedirect } from './HomeRedirect.tsx';
import { NotFound } from './NotFound.tsx';
import { RouteError } from './RouteError.tsx';
import { Shell } from './Shell.tsx';

/** One chunk per screen. */
const SCREENS: RouteObject[] = [
  { index: true, element: <Navigate to="connections" replace /> },
  {
    path: 'integrations',
    lazy: async () => ({ Component: (await import('../features/integrations/IntegrationList.tsx')).IntegrationList }),
  },
  {
    path: 'integrations/create',
    lazy: async () => ({
      Component: (await import('../features/integrations/ProviderCatalogue.tsx')).ProviderCatalogue,
    }),
  },
  {
    path: 'integrations/create/:provider',
    lazy: async () => ({
      Component: (await import('../features/integrations/CreateIntegration.tsx')).CreateIntegration,
    }),
  },
  {
    path: 'integrations/:integrationKey/functions/:name',
    lazy: async () => ({ Component: (await import('../features/functions/FunctionPage.tsx')).FunctionPage }),
  },
  {
    path: 'integrations/:integrationKey/callback',
    lazy: async () => ({ Component: (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor }),
  },
  {
    path: 'callback',
    lazy: async () => ({ Component: (await import('../features/integrations/CallbackDoctor.tsx')).CallbackDoctor }),
  },
  {
    path: 'integrations/:integrationKey/:tab?',
    lazy: async () => ({ Component: (await import('../features/integrations/IntegrationPage.tsx')).IntegrationPage }),
  },
  {
    path: 'connections',
    lazy: async () => ({ Component: (await import('../features/connections/ConnectionList.tsx')).ConnectionList }),
  },
  {
    path: 'connections/create',
    lazy: async () => ({ Component: (await import('../features/connections/NewConnection.tsx')).NewConnection }),
  },
  {
    path: 'connections/:integrationKey/:connectionId/records/:model',
    lazy: async () => ({ Component: (await import('../features/connections/RecordTable.tsx')).RecordTable }),
  },
  {
    path: 'connections/:integrationKey/:connectionId/:tab?',
    lazy: async () => ({ Component: (await import('../features/connections/ConnectionPage.tsx')).ConnectionPage }),
  },
  {
    path: 'functions',
    lazy: async () => ({ Component: (await import('../features/functions/FunctionList.tsx')).FunctionList }),
  },
  {
    path: 'webhooks',
    lazy: async () => ({ Component: (await import('../features/webhooks/WebhooksPage.tsx')).WebhooksPage }),
  },
  { path: 'logs', lazy: async () => ({ Component: (await import('../features/logs/LogExplorer.tsx')).LogExplorer }) },
  {
    path: 'api',
    lazy: async () => ({ Component: (await import('../features/api-reference/ApiReference.tsx')).ApiReference }),
  },
  { path: 'mcp', lazy: async () => ({ Component: (await import('../features/mcp/McpPage.tsx')).McpPage }) },
  {
    path: 'environment-settings',
    lazy: async () => ({
      Component: (await import('../features/settings/EnvironmentSettings.tsx')).EnvironmentSettings,
    }),
  },
  { path: 'activity', element: <Navigate to="../logs" replace /> },
  { path: '*', element: <NotFound /> },
];

export const createRouter = () =>
  createBrowserRouter(
    [
      { path: '/', element: <HomeRedirect />, errorElement: <RouteError /> },
      {
        path: '/:env/quick',
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
        lazy: async () => ({ Component: (await import('../features/quick/QuickPanel.tsx')).QuickPanel }),
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
