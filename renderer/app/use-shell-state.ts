import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { focusedOutsideMenus } from '../components/focus-if-lost.ts';
import type { Breadcrumb } from '../components/page/page-context.ts';
import type { PlaygroundTarget } from '../components/shell-context.ts';
import { keepRecentScreen } from '../lib/recent-screens.ts';
import { readStored, writeStored } from '../lib/stored.ts';
import { screenOf } from './screens.ts';

const NARROW = 900;

/** Whether the sidebar shows icons only: by choice, or in a narrow window. */
export function useCollapsed(): { isCollapsed: boolean; toggle: () => void } {
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
export function useLastPage(env: string): void {
  const { pathname } = useLocation();
  useEffect(() => {
    const screen = screenOf(pathname);
    if (screen) writeStored('lastPlace', { env, screen: screen.path });
  }, [env, pathname]);
}

/** Records the opened screens under the names that they report. */
export function useRecentScreens(breadcrumbs: Breadcrumb[]): void {
  const { pathname, search } = useLocation();
  const address = useRef('');
  address.current = `${pathname}${search}`;
  useEffect(() => {
    const last = breadcrumbs.at(-1);
    if (last) keepRecentScreen({ path: address.current, label: last.label, within: breadcrumbs.at(-2)?.label ?? '' });
  }, [breadcrumbs]);
}

interface OpenPlayground {
  target: PlaygroundTarget;
  opener: HTMLElement | null;
  opened: number;
  /** The environment of its target. */
  env: string;
}

/** The sheet of the playground, over whatever screen is open. */
export function usePlayground(env: string) {
  const [playground, setPlayground] = useState<OpenPlayground>();
  // Draft, mode and run belong to an environment: in another one the sheet begins with what is kept there.
  if (playground && playground.env !== env)
    setPlayground({ ...playground, env, target: {}, opened: playground.opened + 1 });
  const openPlayground = useCallback(
    (target: PlaygroundTarget): void => {
      const opener = focusedOutsideMenus();
      setPlayground((old) => ({ target, opener, env, opened: (old?.opened ?? 0) + 1 }));
    },
    [env],
  );
  const closePlayground = useCallback((): void => setPlayground(undefined), []);
  return { playground, openPlayground, closePlayground };
}

export function useDocumentTitle(title: string | undefined, env: string): void {
  useEffect(() => {
    document.title = [title, env, 'Homeport'].filter(Boolean).join(' – ');
  }, [title, env]);
}
