import { MantineProvider } from '@mantine/core';
import { notificationsStore } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { RouterProvider } from 'react-router/dom';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useDashboardLogin } from '../api/hub/session-mutations.ts';
import { createQueryClient } from '../api/query-client.ts';
import { isDocs } from '../api/query-keys.ts';
import { isMeta } from '../api/route-query.ts';
import { type DroppedFile, DroppedFileContext } from '../components/form/dropped-file.ts';
import { hasUnsaved } from '../components/form/unsaved-context.ts';
import { notifyError } from '../components/notice/notify.ts';
import { notifyUndoable } from '../components/notice/notify-undoable.ts';
import { ErrorPanel } from '../components/page/ErrorPanel.tsx';
import { OverPage } from '../components/page/over-page.tsx';
import { isSessionLost } from '../lib/api-error.ts';
import type { RecognisedFile } from '../lib/recognised-file.ts';
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
        <OverPage>
          <SessionGate code={code}>
            <DroppedFiles>
              <RouterProvider router={router} />
            </DroppedFiles>
          </SessionGate>
        </OverPage>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Fetches the session before the router loads the files of its screen: both share the six connections of a browser. */
function createClient(): QueryClient {
  const client = createQueryClient({ done: notifyUndoable, failed: notifyError });
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
  const client = useQueryClient();
  const meta = useQuery(metaQueryOptions());
  const isLost = isSessionLost(meta.error);
  // Typed text outlives the session: its screen stays mounted, but is not shown, until somebody signs in again.
  const isKept = isLost && meta.data !== undefined && hasUnsaved();
  useEffect(() => {
    if (!isLost) return;
    // Pages of the documentation are shown meanwhile, and would wait for ever for what was removed under them.
    if (!isKept) client.removeQueries({ predicate: ({ queryKey }) => !isMeta(queryKey) && !isDocs(queryKey) });
    document.body.toggleAttribute('data-signed-out', true);
    return () => {
      document.body.toggleAttribute('data-signed-out', false);
    };
  }, [client, isLost, isKept]);
  if (meta.data && (!isLost || isKept))
    return (
      <>
        {isLost && (
          <Suspense fallback={null}>
            <LockPage isTextKept />
          </Suspense>
        )}
        <div style={{ display: isLost ? 'none' : 'contents' }}>{children}</div>
      </>
    );
  // The documentation holds nothing of a person: it is read without a session, also while it is asked for again.
  const isRefused = meta.data === undefined && meta.errorUpdateCount > 0;
  if (isRefused && /^\/app\/docs(?:\/|$)/.test(location.pathname)) return children;
  if (isLost) {
    return (
      <Suspense fallback={null}>
        <LockPage />
      </Suspense>
    );
  }
  if (meta.error) return <ErrorPanel error={meta.error} onRetry={() => void meta.refetch()} />;
  return null;
}

/** Keeps a dropped file until the import page opens, also when another part of the app shows that page. */
function DroppedFiles({ children }: { children: ReactNode }) {
  const [file, setFile] = useState<RecognisedFile>();
  const value = useMemo((): DroppedFile => ({ file, put: setFile }), [file]);
  return <DroppedFileContext value={value}>{children}</DroppedFileContext>;
}
