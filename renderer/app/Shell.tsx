import { createSpotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Outlet, useLocation, useParams } from 'react-router';
import { missingFunctionsQueryOptions } from '../api/attention-queries.ts';
import { desktopBridge } from '../api/desktop-bridge.ts';
import { EventsProvider } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useEnv } from '../api/use-env.ts';
import { focusIfLost } from '../components/focus-if-lost.ts';
import { PanelBoundary } from '../components/page/PanelBoundary.tsx';
import { type Breadcrumb, PageContext } from '../components/page/page-context.ts';
import { type ShellActions, ShellContext } from '../components/shell-context.ts';
import { DropTarget } from './DropTarget.tsx';
import { Header } from './Header.tsx';
import { PlaygroundSheet } from './PlaygroundSheet.tsx';
import { ReconnectBanner } from './ReconnectBanner.tsx';
import classes from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { StackedOperation } from './StackedOperation.tsx';
import { StatusBar } from './StatusBar.tsx';
import { typeAhead } from './type-ahead.ts';
import { UpdateBanner } from './UpdateBanner.tsx';
import { useShellKeys } from './use-shell-keys.ts';
import { useCollapsed, useDocumentTitle, useLastPage, usePlayground, useRecentScreens } from './use-shell-state.ts';
import { useVault } from './use-vault.ts';
import { VaultBanner } from './VaultBanner.tsx';

const loadPalette = () => import('./palette/Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const DesktopPage = lazy(async () => ({ default: (await import('./DesktopPage.tsx')).DesktopPage }));
const loadMissingFiles = () => import('./MissingFilesBanner.tsx');
const MissingFilesBanner = lazy(async () => ({ default: (await loadMissingFiles()).MissingFilesBanner }));
const KeyHelp = lazy(async () => ({ default: (await import('./KeyHelp.tsx')).KeyHelp }));

/** Loads parts that may be needed soon, so that they are ready then and do not delay the first view. */
function useBackgroundLoads(): void {
  useEffect(() => {
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
}

/** Everything around a screen: sidebar, header, banners, status bar. */
export function Shell() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { pathname } = useLocation();
  const [crumbs, setCrumbs] = useState<Breadcrumb[]>([]);
  const { isCollapsed, toggle } = useCollapsed();
  const [reviewCalls, setReviewCalls] = useState(0);
  const { playground, openPlayground, closePlayground } = usePlayground(env);
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
      openPlayground,
      copySecret: (text) => desktopBridge()?.copySecret(text) ?? navigator.clipboard.writeText(text),
      setVaultLocked: setLocked,
    }),
    [productionName, openPalette, openPlayground, setLocked],
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
  useBackgroundLoads();
  const [bridge] = useState(desktopBridge);
  useDocumentTitle(crumbs.at(-1)?.label, env);
  return (
    <EventsProvider env={env}>
      <PageContext value={setCrumbs}>
        <ShellContext value={actions}>
          <div
            className={`grid ${classes['shell']}`}
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
            <main
              id="content"
              className="stack scroll"
              style={{ position: 'relative', gridArea: 'main', outline: 'none' }}
              tabIndex={-1}
            >
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
                onClose={closePlayground}
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

/**
 * A button is disabled while its action runs, and a disabled button loses the focus. It gets the focus back when the
 * action ends, unless the person went elsewhere meanwhile.
 */
function useKeptFocus(): void {
  useEffect(() => {
    const watch = new MutationObserver(([change]) => {
      const button = change?.target;
      if (button instanceof HTMLButtonElement && !button.disabled) focusIfLost(button);
    });
    const follow = ({ target }: FocusEvent): void => {
      watch.disconnect();
      if (target instanceof HTMLButtonElement) watch.observe(target, { attributeFilter: ['disabled'] });
    };
    const leave = ({ target }: PointerEvent): void => {
      if (!(target instanceof Element && target.closest('button'))) watch.disconnect();
    };
    document.addEventListener('focusin', follow);
    document.addEventListener('pointerdown', leave);
    return () => {
      watch.disconnect();
      document.removeEventListener('focusin', follow);
      document.removeEventListener('pointerdown', leave);
    };
  }, []);
}
