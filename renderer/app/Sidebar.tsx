import { Tooltip } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { useAttention } from '../api/use-attention.ts';
import { EnvironmentSwitcher } from './EnvironmentSwitcher.tsx';
import classes from './Sidebar.module.css';
import { SCREENS, type Screen, screenOf } from './screens.ts';

interface SidebarProps {
  env: string;
  isCollapsed: boolean;
  onToggle: () => void;
}

export function Sidebar({ env, isCollapsed, onToggle }: SidebarProps) {
  const attention = useAttention();
  const current = screenOf(useLocation().pathname);
  const counts: Partial<Record<Screen['id'], { count: number; tone: string; text: string }>> = {
    connections: { count: attention.connections, tone: 'bad', text: 'connections need attention' },
    functions: { count: attention.functions, tone: 'warn', text: 'functions do not compile' },
    mcp: { count: attention.approvals, tone: 'run', text: 'calls wait for your answer' },
  };
  return (
    <div className={classes['side']} data-collapsed={isCollapsed || undefined}>
      <EnvironmentSwitcher env={env} isCollapsed={isCollapsed} onToggleSidebar={onToggle} />
      <nav className={classes['nav']} aria-label="Screens">
        {SCREENS.map((screen) => {
          const badge = counts[screen.id];
          return (
            <Tooltip key={screen.id} label={screen.label} position="right" disabled={!isCollapsed}>
              <Link
                to={`/${env}/${screen.path}`}
                className={classes['item']}
                aria-current={screen === current ? 'page' : undefined}
                data-last={screen.id === 'settings' || undefined}
              >
                <screen.icon size={isCollapsed ? 18 : 16} stroke={1.6} aria-hidden />
                <span className={isCollapsed ? 'visually-hidden' : classes['label']}>{screen.label}</span>
                {badge !== undefined && badge.count > 0 && (
                  <span className={classes['badge']} data-tone={badge.tone}>
                    {isCollapsed ? '' : badge.count}
                    <span className="visually-hidden"> {badge.text}</span>
                  </span>
                )}
              </Link>
            </Tooltip>
          );
        })}
      </nav>
    </div>
  );
}
