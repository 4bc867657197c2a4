import { Button, Menu } from '@mantine/core';
import { IconCalendar, IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ActivityPeriod } from '../../api/contract.ts';
import { usePractice } from '../../api/integrations/integrations-mutations.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useAnswered } from '../../api/use-answered.ts';
import { useEnv } from '../../api/use-env.ts';
import { PracticeButton } from '../../components/connection/PracticeButton.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { Held } from '../../components/page/Held.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { usePreferences } from '../../components/use-preferences.ts';
import { paths } from '../../lib/paths.ts';
import { utcOffsetText } from '../../lib/period.ts';
import { zoneOffsetMinutes } from '../../lib/shown-zone.ts';
import { ActivityCharts } from './ActivityCharts.tsx';
import { GettingStarted } from './GettingStarted.tsx';
import { NeedsAttention } from './NeedsAttention.tsx';
import classes from './Overview.module.css';
import { PlannedRuns } from './PlannedRuns.tsx';
import { RunsNow } from './RunsNow.tsx';

const PERIODS: ReadonlyArray<readonly [ActivityPeriod, string]> = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['14d', 'Last 14 days'],
  ['90d', 'Last 90 days'],
];
const DEFAULT_PERIOD = '24h';

/** What needs attention, current runs, past activity, planned runs (ui.md 6.2). */
export function Overview() {
  const env = useEnv();
  const url = useUrlState();
  const { timeZone } = usePreferences();
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data;
  const isAnswered = useAnswered();
  usePage([{ label: 'Overview' }]);
  const [period, name] = PERIODS.find(([one]) => one === (url.get('period') ?? DEFAULT_PERIOD)) ??
    PERIODS[1] ?? ['24h', ''];
  return (
    <>
      <PageHeader title="Overview">
        <span className={`soft small ${classes['zone']}`}>
          Times are {timeZone ?? 'local'}, {utcOffsetText(zoneOffsetMinutes())}
        </span>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              variant="default"
              aria-label={`Period: ${name}`}
              leftSection={<IconCalendar size={16} stroke={1.6} aria-hidden />}
              rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
            >
              {name}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {PERIODS.map(([value, label]) => (
              <Menu.Item
                key={value}
                aria-current={value === period || undefined}
                onClick={() => url.set({ period: value === DEFAULT_PERIOD ? undefined : value })}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </PageHeader>
      <Held isHeld={!isAnswered}>
        <div
          className="stack gap-16"
          style={{ padding: '4px var(--hp-gutter) 24px', container: 'overview / inline-size' }}
        >
          <GettingStarted key={env} otherwise={integrations?.length === 0 && <NothingYet />} />
          <div className={`grid gap-16 ${classes['top']}`}>
            <PanelBoundary resetKey={env}>
              <NeedsAttention />
            </PanelBoundary>
            <PanelBoundary resetKey={env}>
              <RunsNow />
            </PanelBoundary>
          </div>
          <PanelBoundary resetKey={env}>
            <ActivityCharts period={period} />
          </PanelBoundary>
          <PanelBoundary resetKey={env}>
            <PlannedRuns />
          </PanelBoundary>
        </div>
      </Held>
    </>
  );
}

function NothingYet() {
  const env = useEnv();
  const practice = usePractice();
  return (
    <div className="stack card">
      <EmptyState
        title="Nothing is connected yet"
        text="Add an integration for a provider that you use. The practice provider works offline and needs no account."
      >
        <PracticeButton isPending={practice.isPending} onClick={practice.start} />
        <Button variant="default" component={Link} to={paths.newIntegration(env)}>
          New integration
        </Button>
      </EmptyState>
    </div>
  );
}
