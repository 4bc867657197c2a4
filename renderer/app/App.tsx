import { MantineProvider } from '@mantine/core';
import { notificationsStore } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { RouterProvider } from 'react-router/dom';
import { ApiError, describeError } from '../api/api-error.ts';
import { useDashboardLogin } from '../api/hub/hub-mutations.ts';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { createQueryClient } from '../api/query-client.ts';
import { ErrorPanel } from '../components/ErrorPanel.tsx';
import { DroppedFiles } from './DropTarget.tsx';
import { kitTheme } from './kit.ts';
import { createRouter } from './router.tsx';

const LockPage = lazy(async () => ({ default: (await import('./LockPage.tsx')).LockPage }));
const ToastArea = lazy(async () => ({ default: (await import('./ToastArea.tsx')).ToastArea }));

export function App() {
  const [client] = useState(createClient);
  // Before the router reads the address: its screens keep their tab in the hash.
  const [code] = useState(takeCode);
  const [router] = useState(createRouter);
  return (
    <MantineProvider theme={kitTheme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <Toasts />
        <SessionGate code={code}>
          <DroppedFiles>
            <RouterProvider router={router} />
          </DroppedFiles>
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Fetches the session before the router loads the files of its screen: both share the six connections of a browser. */
function createClient(): QueryClient {
  const client = createQueryClient();
  if (codeInAddress() === undefined) void client.prefetchQuery(metaQueryOptions());
  return client;
}

/** Short messages. Their area is loaded after the first view, while the server still answers. */
function Toasts() {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), 500);
    const stop = notificationsStore.subscribe(() => setWanted(true));
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return <Suspense fallback={null}>{isWanted && <ToastArea />}</Suspense>;
}

/** The one-time code of a login link. */
const codeInAddress = (): string | undefined => /^#code=([\w-]+)$/.exec(location.hash)?.[1];

/** Removed from the address at once. */
function takeCode(): string | undefined {
  const code = codeInAddress();
  if (code) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** Shows the dashboard to a signed-in browser and the lock page to any other. */
function SessionGate({ code, children }: { code: string | undefined; children: ReactNode }) {
  const login = useDashboardLogin();
  const { mutate } = login;
  useEffect(() => {
    if (code) mutate(code);
  }, [code, mutate]);
  if (code && (login.isIdle || login.isPending)) return null;
  return <Gate>{children}</Gate>;
}

function Gate({ children }: { children: ReactNode }) {
  const meta = useQuery(metaQueryOptions());
  if (meta.data) return children;
  if (meta.error instanceof ApiError && meta.error.status === 401) {
    return (
      <Suspense fallback={null}>
        <LockPage />
      </Suspense>
    );
  }
  if (meta.error) return <ErrorPanel {...describeError(meta.error)} onRetry={() => void meta.refetch()} />;
  return null;
}
