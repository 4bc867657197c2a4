import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react';
import {
  createBrowserRouter,
  Link,
  Navigate,
  Outlet,
  type RouteObject,
  useLocation,
  useParams,
  useRouteError,
  useSearchParams,
} from 'react-router';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import { ErrorPanel } from '../components/page/ErrorPanel.tsx';
import { isMissingPart, MISSING_PART } from '../components/page/PanelBoundary.tsx';
import { paths } from '../lib/paths.ts';
import { nameFirstEntry, numberTypedHashes } from './history-entries.ts';
import classes from './LockPage.module.css';
import { Shell } from './Shell.tsx';
import { SCREEN_LOADERS, type ScreenLoader } from './screen-loaders.ts';

interface ShownBy {
  screen: ComponentType;
  alsoShows: string[];
}

/** A screen remounts for another environment or object, so that typed text and selections do not carry over. */
function KeyedScreen({ screen: Screen, alsoShows }: ShownBy) {
  const { tab: _, ...shown } = useParams();
  const [query] = useSearchParams();
  return <Screen key={JSON.stringify([shown, alsoShows.map((name) => query.get(name))])} />;
}

/** A screen as a route; its chunk is loaded with the route. */
const screen = ({ path, load, alsoShows }: ScreenLoader): RouteObject => ({
  path,
  lazy: async () => {
    const shown: ShownBy = { screen: await load(), alsoShows };
    return { element: <KeyedScreen {...shown} /> };
  },
});

/** Parts that few views need. */
const FirstRun = lazy(async () => ({ default: (await import('./FirstRun.tsx')).FirstRun }));
const HomeRedirect = lazy(async () => ({ default: (await import('./HomeRedirect.tsx')).HomeRedirect }));

const firstRun = (
  <Suspense fallback={null}>
    <FirstRun />
  </Suspense>
);

const home = (screen?: string) => (
  <Suspense fallback={null}>
    <HomeRedirect screen={screen} />
  </Suspense>
);

const docs: Pick<RouteObject, 'lazy'> = {
  lazy: async () => ({ Component: (await import('../features/docs/DocsScreen.tsx')).DocsScreen }),
};

const SCREENS: RouteObject[] = [
  ...SCREEN_LOADERS.map(screen),
  { path: 'activity', element: <RenamedScreen to="logs" /> },
  { path: 'mcp', element: <RenamedScreen to="agents" /> },
  { path: 'project-settings', element: <RenamedScreen to="environment-settings" /> },
  { path: 'integration/*', element: <RenamedScreen to="integrations" /> },
  { path: '*', lazy: async () => ({ Component: (await import('./NotFound.tsx')).NotFound }) },
];

export function createRouter() {
  nameFirstEntry();
  const noteEntry = numberTypedHashes();
  const router = createBrowserRouter(
    [
      { path: '/', element: home(), errorElement: <RouteError /> },
      { path: '/quick-panel', element: home('quick') },
      { path: '/import', element: home('import') },
      { path: '/export', element: home('export') },
      { path: '/welcome', element: firstRun, errorElement: <RouteError /> },
      {
        ...screen({
          path: '/agent-sign-in',
          load: async () => (await import('../features/agents/AgentSignIn.tsx')).AgentSignIn,
          alsoShows: ['request'],
        }),
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
      },
      {
        path: '/:env/getting-started',
        element: <InEnvironment>{firstRun}</InEnvironment>,
        errorElement: <RouteError />,
      },
      {
        ...screen({
          path: '/:env/quick',
          load: async () => (await import('../features/quick/QuickPanel.tsx')).QuickPanel,
          alsoShows: [],
        }),
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
              screen({
                path: ':section',
                load: async () => (await import('../features/settings/ApplicationSettings.tsx')).ApplicationSettings,
                alsoShows: [],
              }),
            ],
          },
        ],
      },
      {
        path: '/docs',
        element: <DocsFrame />,
        errorElement: <RouteError />,
        hydrateFallbackElement: <div />,
        children: [
          {
            errorElement: <RouteError />,
            children: [
              { index: true, ...docs },
              { path: '*', ...docs },
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
  router.subscribe(noteEntry);
  noteEntry();
  return router;
}

/** Redirects the address of a link that was written for another server (ui.md 3); the part after the screen's name is kept. */
function RenamedScreen({ to }: { to: string }) {
  const { pathname, search, hash } = useLocation();
  return <Navigate to={{ pathname: pathname.replace(/^(\/[^/]+)\/[^/]+/, `$1/${to}`), search, hash }} replace />;
}

/** The shell needs a session; without one the pages stand alone. */
function DocsFrame() {
  const { data } = useQuery(metaQueryOptions());
  if (data) return <Shell />;
  return (
    <main className="stack" style={{ height: '100%' }}>
      <Outlet />
    </main>
  );
}

function RouteError() {
  const error = useRouteError();
  if (isMissingPart(error))
    return (
      <ErrorPanel
        error={{ message: MISSING_PART, code: 'missing_part' }}
        retry="Reload"
        onRetry={() => location.reload()}
      />
    );
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected';
  return (
    <ErrorPanel
      error={{ message: 'This page stopped working. Reload to try again.', code: text }}
      onRetry={() => location.reload()}
    />
  );
}

/** Renders the screen in the environment of the address, or a notice that no environment has this name. */
function InEnvironment({ children }: { children: ReactNode }) {
  const { env = '' } = useParams();
  const { data, isFetching } = useQuery(metaQueryOptions());
  if (!data) return null;
  if (data.environments.some(({ name }) => name === env)) return children;
  // An environment that was created a moment ago, for example in another window, is in the refetched response.
  return isFetching ? null : <UnknownEnvironment name={env} known={data.environments.map((one) => one.name)} />;
}

function UnknownEnvironment({ name, known }: { name: string; known: string[] }) {
  useEffect(() => {
    document.title = 'Not found – Homeport';
  }, []);
  return (
    <main className={`centred ${classes['page']}`}>
      <div className={`stack gap-8 at-top card full ${classes['card']}`}>
        <ProductMark size={32} />
        <h1>There is no environment "{name}"</h1>
        <p className="soft">It was deleted or renamed, or the link is old.</p>
        {known.map((one, index) => (
          <Button key={one} component={Link} to={paths.overview(one)} variant={index === 0 ? 'filled' : 'default'}>
            Open {one}
          </Button>
        ))}
      </div>
    </main>
  );
}
