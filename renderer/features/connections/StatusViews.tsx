import { Tabs } from '@mantine/core';
import type { ConnectionCount } from '../../api/contract.ts';
import { formatNumber } from '../../lib/format-number.ts';
import classes from './StatusViews.module.css';

const VIEWS = [
  { value: 'all', label: 'All', count: 'total' },
  { value: 'auth_error', label: 'Sign-in needed', count: 'auth_error' },
  { value: 'sync_error', label: 'Failing syncs', count: 'sync_error' },
  { value: 'paused', label: 'Paused', count: 'paused' },
] as const;

interface StatusViewsProps {
  count: ConnectionCount | undefined;
  value: string | undefined;
  onChange: (status: string) => void;
}

/** The status filter as tabs with their counts. */
export function StatusViews({ count, value = 'all', onChange }: StatusViewsProps) {
  return (
    <Tabs value={value} onChange={(next) => onChange(next ?? 'all')} className={classes['views'] ?? ''}>
      <Tabs.List aria-label="Status">
        {VIEWS.map((view) => (
          <Tabs.Tab key={view.value} value={view.value}>
            {view.label} <span className="faint">{count ? formatNumber(count[view.count]) : ''}</span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
