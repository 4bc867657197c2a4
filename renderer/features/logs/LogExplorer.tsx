import { Button } from '@mantine/core';
import { IconBroadcast, IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { describeError } from '../../api/api-error.ts';
import { integrationOptionsQuery } from '../../api/integrations/integrations-queries.ts';
import { useLiveOperations } from '../../api/logs/use-live-operations.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { LiveTable } from '../../components/table/LiveTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useOpenRow } from '../../components/table/use-open-row.ts';
import { UrlFilter, UrlGivenFilter, UrlIntegrationFilter, UrlSearch } from '../../components/UrlFilters.tsx';
import { type UrlState, useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { isPlainKey } from '../../lib/shortcuts.ts';
import { LiveAnnouncer } from './LiveAnnouncer.tsx';
import classes from './LogExplorer.module.css';
import { LOG_COLUMNS } from './log-columns.tsx';
import { STATE_OPTIONS, TYPE_OPTIONS } from './log-filters.ts';
import { OperationPanel } from './OperationPanel.tsx';

const FILTERS = ['search', 'states', 'types', 'integrations', 'connections', 'syncs'] as const;

function useLive(url: UrlState): { isLive: boolean; toggle: () => void } {
  const isLive = url.get('live') !== 'false';
  const toggle = (): void => url.set({ live: isLive ? 'false' : '' }, { replace: true });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'l' && isPlainKey(event)) toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  return { isLive, toggle };
}

export function LogExplorer() {
  const url = useUrlState();
  const values = Object.fromEntries(FILTERS.map((name) => [name, url.get(name)]));
  const filter = { ...values, period: url.get('period'), sort: url.get('sort') };
  const { isLive, toggle } = useLive(url);
  const rows = useLiveOperations(filter, isLive);
  const columns = useColumns('logs', LOG_COLUMNS);
  const { open, show, step } = useOpenRow(url, 'operationId', rows);
  usePage([{ label: 'Logs' }]);
  return (
    <SplitView
      panel={open && <OperationPanel key={open} operationId={open} onClose={() => show(undefined)} onStep={step} />}
    >
      <PageHeader
        title="Logs"
        aside={<span className="soft">{rows.total === undefined ? '' : formatCount(rows.total, 'operation')}</span>}
      >
        <Button
          variant="default"
          className={classes['live'] ?? ''}
          aria-pressed={isLive}
          data-live={isLive || undefined}
          leftSection={isLive ? <IconBroadcast size={16} stroke={1.6} /> : <IconPlayerPause size={16} stroke={1.6} />}
          onClick={toggle}
        >
          {isLive ? 'Live' : 'Paused'}
        </Button>
      </PageHeader>
      <LogFilters url={url} columns={<ColumnsMenu choice={columns} />} />
      <LiveAnnouncer total={rows.total} isLive={isLive} />
      <LiveTable
        label="Operations"
        columns={columns.visible}
        rows={rows}
        url={url}
        filters={FILTERS}
        open={open}
        onShow={show}
        nothingFits="No operation fits the search and filters. New ones appear as they happen."
        nothing={
          <EmptyState
            title="Nothing happened yet"
            text="Every run, proxy call, sign-in and webhook is listed here, with its messages."
          />
        }
        describeError={describeError}
      />
    </SplitView>
  );
}

function LogFilters({ url, columns }: { url: UrlState; columns: React.ReactNode }) {
  const env = useEnv();
  const integrations = useQuery(integrationOptionsQuery(env)).data ?? [];
  return (
    <Toolbar end={columns}>
      <UrlSearch url={url} label="Text, function or ID" />
      <UrlFilter url={url} name="states" label="State" options={STATE_OPTIONS} />
      <UrlFilter url={url} name="types" label="Type" options={TYPE_OPTIONS} />
      <UrlIntegrationFilter url={url} integrations={integrations} />
      <UrlGivenFilter url={url} name="connections" label="Connection" />
      <UrlGivenFilter url={url} name="syncs" label="Function" />
    </Toolbar>
  );
}
