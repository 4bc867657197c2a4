import { createSpotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Outlet, useLocation, useParams } from 'react-router';
import { missingFunctionsQueryOptions } from '../api/attention-queries.ts';
import { desktopBridge } from '../api/desktop-bridge.ts';
import { EventsProvider } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useEnv } from '../api/use-env.ts';
import { focusedOutsideMenus } from '../components/focus-if-lost.ts';
import { PanelBoundary } from '../components/page/PanelBoundary.tsx';
import { type Breadcrumb, PageContext } from '../components/page/page-context.ts';
import { type PlaygroundTarget, type ShellActions, ShellContext } from '../components/shell-context.ts';
import { keepRecentScreen } from '../lib/recent-screens.ts';
import { readStored, writeStored } from '../lib/stored.ts';
import { DropTarget } from './DropTarget.tsx';
import { Header } from './Header.tsx';
import { PlaygroundSheet } from './PlaygroundSheet.tsx';
import { ReconnectBanner } from './ReconnectBanner.tsx';
import classes from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { StackedOperation } from './StackedOperation.tsx';
import { StatusBar } from './StatusBar.tsx';
import { screenOf } from './screens.ts';
import { typeAhead } from './type-ahead.ts';
import { UpdateBanner } from './UpdateBanner.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { useShellKeys } from './use-shell-keys.ts';
import { useVault } from './use-vault.ts';
import { VaultBanner } from './VaultBanner.tsx';

const loadPalette = () => import('./palette/Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const DesktopPage = lazy(async () => ({ default: (await import('./DesktopPage.tsx')).DesktopPage }));
const loadMissingFiles = () => import('./MissingFilesBanner.tsx');
const MissingFilesBanner = lazy(async () => ({ default: (await loadMissingFiles()).MissingFilesBanner }));
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

/** Stores the environment and screen for the next start. */
function useLastPage(env: string): void {
  const { pathname } = useLocation();
  useEffect(() => {
    const screen = screenOf(pathname);
    if (screen) writeStored('lastPlace', { env, screen: screen.path });
  }, [env, pathname]);
}

/** Records the opened screens under the names that they report. */
function useRecentScreens(breadcrumbs: Breadcrumb[]): void {
  const { pathname, search } = useLocation();
  const address = useRef('');
  address.current = `${pathname}${search}`;
  useEffect(() => {
    const last = breadcrumbs.at(-1);
    if (last) keepRecentScreen({ path: address.current, label: last.label, within: breadcrumbs.at(-2)?.label ?? '' });
  }, [breadcrumbs]);
}

/** Everything around a screen: sidebar, header, banners, status bar. */
export function Shell() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { pathname } = useLocation();
  const [crumbs, setCrumbs] = useState<Breadcrumb[]>([]);
  const { isCollapsed, toggle } = useCollapsed();
  const [reviewCalls, setReviewCalls] = useState(0);
  const [playground, setPlayground] = useState<{
    target: PlaygroundTarget;
    opener: HTMLElement | null;
    opened: number;
    /** The environment of its target. */
    env: string;
  }>();
  // Draft, mode and run belong to an environment: in another one the sheet begins with what is kept there.
  if (playground && playground.env !== env)
    setPlayground({ ...playground, env, target: {}, opened: playground.opened + 1 });
  const environment = meta?.environments.find((one) => one.name === env);
  // Application pages belong to no environment.
  const isOfEnvironment = useParams()['env'] !== undefined;
  const productionName = isOfEnvironment && environment?.isProduction ? env : undefined;
  const [[store, palette]] = useState(createSpotlight);
  const [isPaletteWanted, setPaletteWanted] = useState(false);
  const [paletteQuery, setPaletteQuery] = useState('');
  const [isHelpOpen, setHelpOpen] = useState(false);
  const { isLocked, setLocked } = useVault();
  const openPalette = useCallback((): void => {
    if (store.getState().opened) {
      palette.close();
      return;
    }
    setPaletteWanted(true);
    // A palette that is still closing keeps its text.
    setPaletteQuery('');
    palette.open();
    if (!document.activeElement?.closest('.mantine-Spotlight-content')) typeAhead(setPaletteQuery);
  }, [store, palette]);
  const actions = useMemo(
    (): ShellActions => ({
      productionName,
      openPalette,
      reviewApprovals: () => setReviewCalls((calls) => calls + 1),
      openPlayground: (target) => {
        const opener = focusedOutsideMenus();
        setPlayground((old) => ({ target, opener, env, opened: (old?.opened ?? 0) + 1 }));
      },
      copySecret: (text) => desktopBridge()?.copySecret(text) ?? navigator.clipboard.writeText(text),
      setVaultLocked: setLocked,
    }),
    [env, productionName, openPalette, setLocked],
  );
  useShellKeys({
    env,
    environments: meta?.environments ?? [],
    toggleSidebar: toggle,
    openPalette,
    openHelp: () => setHelpOpen(true),
    vault: { isLocked, setLocked },
  });
  useKeptFocus();
  useLastPage(env);
  useRecentScreens(crumbs);
  useEffect(() => {
    // Loaded in the background, so that it is ready when needed and does not delay the first view.
    const load = () =>
      Promise.all([
        loadPalette(),
        import('./ApprovalDialog.tsx'),
        import('../components/notice/ConfirmDialog.tsx'),
        loadMissingFiles(),
      ]);
    const timer = setTimeout(() => void load(), 500);
    return () => clearTimeout(timer);
  }, []);
  const [bridge] = useState(desktopBridge);
  const title = crumbs.at(-1)?.label;
  useEffect(() => {
    document.title = [title, env, 'Homeport'].filter(Boolean).join(' – ');
  }, [title, env]);
  return (
    <EventsProvider env={env}>
      <PageContext value={setCrumbs}>
        <ShellContext value={actions}>
          <div
            className={classes['shell']}
            data-collapsed={isCollapsed || undefined}
            style={{ '--env': `var(--hp-env-${environment?.colour ?? 'petrol'})` } as CSSProperties}
          >
            <a className={classes['skip']} href="#content">
              Skip to content
            </a>
            <div className={classes['bar']} data-colour={environment?.colour} />
            <Sidebar env={env} isCollapsed={isCollapsed} onToggle={toggle} />
            <Header
              env={env}
              breadcrumbs={crumbs}
              isProduction={isCollapsed && productionName !== undefined}
              reviewCalls={reviewCalls}
              onPalette={openPalette}
              onKeys={() => setHelpOpen(true)}
            />
            <main id="content" className={`stack scroll ${classes['main']}`} tabIndex={-1}>
              <ReconnectBanner />
              <UpdateBanner />
              <div className={classes['notice']} role="status" aria-live="polite">
                {isLocked && <VaultBanner />}
              </div>
              <div className={classes['notice']}>
                <MissingFiles key={env} env={env} />
              </div>
              <PanelBoundary resetKey={pathname}>
                <Outlet />
              </PanelBoundary>
            </main>
            <DropTarget env={env} />
            <StatusBar />
            <StackedOperation />
            {playground && (
              <PlaygroundSheet
                key={playground.opened}
                target={playground.target}
                opener={playground.opener}
                onClose={() => setPlayground(undefined)}
              />
            )}
            {/* Loaded at the first key press: the first view does not need it. */}
            <Suspense fallback={null}>
              {isPaletteWanted && (
                <Palette env={env} store={store} close={palette.close} query={paletteQuery} onQuery={setPaletteQuery} />
              )}
              {bridge && <DesktopPage bridge={bridge} />}
              {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
            </Suspense>
          </div>
        </ShellContext>
      </PageContext>
    </EventsProvider>
  );
}

/** The banner about missing files is loaded once files are missing. */
function MissingFiles({ env }: { env: string }) {
  const { data } = useQuery(missingFunctionsQueryOptions(env));
  const [isWanted, setWanted] = useState(false);
  if (!isWanted && data && data.functions.length > 0) setWanted(true);
  return <Suspense fallback={null}>{isWanted && <MissingFilesBanner />}</Suspense>;
}
