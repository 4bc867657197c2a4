import { spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { EventsProvider } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useEnv } from '../api/use-env.ts';
import { PanelBoundary } from '../components/PanelBoundary.tsx';
import { type Crumb, PageContext } from '../components/page-context.ts';
import { type PlaygroundTarget, type ShellActions, ShellContext } from '../components/shell-context.ts';
import { readStored, writeStored } from '../lib/stored.ts';
import { Header } from './Header.tsx';
import { MissingFilesBanner } from './MissingFilesBanner.tsx';
import { PlaygroundSheet } from './PlaygroundSheet.tsx';
import { ReconnectBanner } from './ReconnectBanner.tsx';
import classes from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { StatusBar } from './StatusBar.tsx';
import { screenOf } from './screens.ts';
import { typeAhead } from './type-ahead.ts';
import { useShellKeys } from './use-shell-keys.ts';

const loadPalette = () => import('./Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./KeyHelp.tsx')).KeyHelp }));

const NARROW = 900;

function useCollapsed(): { isCollapsed: boolean; toggle: () => void } {
  const [stored, setStored] = useState(() => readStored('sidebarCollapsed', false));
  const [isNarrow, setNarrow] = useState(() => window.innerWidth < NARROW);
  useEffect(() => {
    const query = matchMedia(`(max-width: ${NARROW - 1}px)`);
    const update = (): void => setNarrow(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, []);
  const toggle = useCallback(
    () =>
      setStored((old) => {
        writeStored('sidebarCollapsed', !old);
        return !old;
      }),
    [],
  );
  return { isCollapsed: stored || isNarrow, toggle };
}

/** Remembers where to start next time. */
function useLastPlace(env: string): void {
  const { pathname } = useLocation();
  useEffect(() => {
    const screen = screenOf(pathname);
    if (screen) writeStored('lastPlace', { env, screen: screen.path });
  }, [env, pathname]);
}

/** What stays around every screen. */
export function Shell() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { pathname } = useLocation();
  const [crumbs, setCrumbs] = useState<Crumb[]>([]);
  const { isCollapsed, toggle } = useCollapsed();
  const [reviewCalls, setReviewCalls] = useState(0);
  const [playground, setPlayground] = useState<{ target: PlaygroundTarget; opened: number }>();
  const actions = useMemo(
    (): ShellActions => ({
      reviewApprovals: () => setReviewCalls((calls) => calls + 1),
      openPlayground: (target) => setPlayground((old) => ({ target, opened: (old?.opened ?? 0) + 1 })),
    }),
    [],
  );
  const [isPaletteWanted, setPaletteWanted] = useState(false);
  const [paletteQuery, setPaletteQuery] = useState('');
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openPalette = (): void => {
    if (document.activeElement?.closest('.mantine-Spotlight-content')) {
      spotlight.close();
      return;
    }
    setPaletteWanted(true);
    spotlight.open();
    typeAhead(setPaletteQuery);
  };
  useShellKeys({
    env,
    environments: meta?.environments ?? [],
    toggleSidebar: toggle,
    openPalette,
    openHelp: () => setHelpOpen(true),
  });
  useLastPlace(env);
  useEffect(() => {
    // There when somebody opens it, without making the first view wait.
    const timer = setTimeout(() => void loadPalette(), 500);
    return () => clearTimeout(timer);
  }, []);
  const title = crumbs.at(-1)?.label;
  useEffect(() => {
    document.title = [title, env, 'Homeport'].filter(Boolean).join(' – ');
  }, [title, env]);
  const isProduction = meta?.environments.find((one) => one.name === env)?.isProduction ?? false;
  return (
    <EventsProvider env={env}>
      <PageContext value={setCrumbs}>
        <ShellContext value={actions}>
          <div className={classes['shell']} data-collapsed={isCollapsed || undefined}>
            <a className={classes['skip']} href="#content">
              Skip to content
            </a>
            <div className={classes['bar']} data-production={isProduction || undefined} />
            <Sidebar env={env} isCollapsed={isCollapsed} onToggle={toggle} />
            <Header env={env} crumbs={crumbs} reviewCalls={reviewCalls} onPalette={openPalette} />
            <main id="content" className={classes['main']} tabIndex={-1}>
              <ReconnectBanner />
              <div className={classes['notice']}>
                <MissingFilesBanner key={env} />
              </div>
              <PanelBoundary resetKey={pathname}>
                <Outlet />
              </PanelBoundary>
            </main>
            <StatusBar />
            {playground && (
              <PlaygroundSheet
                key={playground.opened}
                target={playground.target}
                onClose={() => setPlayground(undefined)}
              />
            )}
            {/* Nobody waits for what opens by a key: it comes once it is asked for. */}
            <Suspense fallback={null}>
              {isPaletteWanted && <Palette key={env} env={env} query={paletteQuery} onQuery={setPaletteQuery} />}
              {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
            </Suspense>
          </div>
        </ShellContext>
      </PageContext>
    </EventsProvider>
  );
}
