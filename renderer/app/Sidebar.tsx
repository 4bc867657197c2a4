import { Fragment, useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useAttention } from '../api/use-attention.ts';
import { HoverTip } from '../components/HoverTip.tsx';
import { formatCount, formatNumber } from '../lib/format-number.ts';
import { EnvironmentSwitcher } from './EnvironmentSwitcher.tsx';
import classes from './Sidebar.module.css';
import { SCREENS, type Screen, screenOf } from './screens.ts';

const loadFavourites = () => import('./Favourites.tsx');

interface SidebarProps {
  env: string;
  isCollapsed: boolean;
  onToggle: () => void;
}

/** The number beside a screen, and what it counts, for screen readers. */
interface Badge {
  count: number;
  tone: 'bad' | 'warn' | 'run';
  one: string;
  many: string;
}

export function Sidebar({ env, isCollapsed, onToggle }: SidebarProps) {
  const attention = useAttention();
  const [pinned, setPinned] = useState<Awaited<ReturnType<typeof loadFavourites>>>();
  useEffect(() => {
    // The first view does not need it.
    const timer = setTimeout(() => void loadFavourites().then(setPinned), 500);
    return () => clearTimeout(timer);
  }, []);
  const current = screenOf(useLocation().pathname);
  const counts: Partial<Record<Screen['id'], Badge>> = {
    connections: {
      count: attention.connections,
      tone: 'bad',
      one: 'connection needs attention',
      many: 'connections need attention',
    },
    functions: {
      count: attention.functions,
      tone: 'warn',
      one: 'function does not compile',
      many: 'functions do not compile',
    },
    apps: { count: attention.pairings, tone: 'run', one: 'app asks for a key', many: 'apps ask for a key' },
    agents: {
      count: attention.approvals,
      tone: 'run',
      one: 'call waits for your answer',
      many: 'calls wait for your answer',
    },
  };
  return (
    <div className={`stack ${classes['side']}`} data-collapsed={isCollapsed || undefined}>
      <EnvironmentSwitcher env={env} isCollapsed={isCollapsed} onToggleSidebar={onToggle} />
      <nav className="stack gap-2 fills scroll" style={{ padding: 8 }} aria-label="Screens">
        {SCREENS.map((screen) => {
          const badge = counts[screen.id];
          return (
            <Fragment key={screen.id}>
              {screen.id === 'settings' && pinned && <pinned.Favourites env={env} isCollapsed={isCollapsed} />}
              <HoverTip label={screen.label} position="right" isOff={!isCollapsed}>
                <Link
                  to={`/${env}/${screen.path}`}
                  className={`item row rigid soft name ${screen.startsGroup ? 'group-start' : ''} ${classes['item']}`}
                  aria-current={screen === current ? 'page' : undefined}
                  data-last={screen.id === 'settings' || undefined}
                >
                  <screen.icon size={isCollapsed ? 18 : 16} stroke={1.6} aria-hidden />
                  <span className={isCollapsed ? 'visually-hidden' : 'grow'}>{screen.label}</span>
                  {badge !== undefined && badge.count > 0 && (
                    <span className={`strong ${classes['badge']}`} data-tone={badge.tone}>
                      <span aria-hidden>{isCollapsed ? '' : formatNumber(badge.count)}</span>
                      <span className="visually-hidden"> {formatCount(badge.count, badge.one, badge.many)}</span>
                    </span>
                  )}
                </Link>
              </HoverTip>
            </Fragment>
          );
        })}
      </nav>
    </div>
  );
}
