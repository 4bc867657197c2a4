import { Button } from '@mantine/core';
import { IconBroadcast, IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useLiveOperations } from '../../api/logs/use-live-operations.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { GivenFilter, IntegrationFilter, ListFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList } from '../../components/list/use-list.ts';
import { useOpenRow } from '../../components/list/use-open-row.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SplitView } from '../../components/SplitView.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import type { UrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { isPlainKey } from '../../lib/shortcuts.ts';
import { OPERATION_LOOK } from '../../lib/status.ts';
import classes from './LogExplorer.module.css';
import { LOG_COLUMNS } from './log-columns.tsx';
import { OperationPanel } from './OperationPanel.tsx';

const FILTERS = ['search', 'states', 'types', 'integrations', 'connections', 'syncs'] as const;

const STATE_OPTIONS = Object.entries(OPERATION_LOOK).map(([value, look]) => ({ value, label: look.label }));

const TYPES: [value: string, label: string][] = [
  ['sync', 'Syncs'],
  ['action', 'Actions'],
  ['proxy', 'Proxy calls'],
  ['auth', 'Sign-ins and refreshes'],
  ['webhook', 'Webhooks'],
  ['events', 'Event handlers'],
  ['deploy', 'Deploys'],
  ['function', 'Invocations'],
];

/** Groups; a single `group:action` still works in the address. */
const TYPE_OPTIONS = TYPES.map(([value, label]) => ({ value, label }));

function useLive({ get, set }: UrlState): { isLive: boolean; toggle: () => void } {
  const isLive = get('live') !== 'false';
  const toggle = useCallback(() => set({ live: isLive ? 'false' : '' }, { replace: true }), [isLive, set]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'l' && isPlainKey(event)) toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [toggle]);
  return { isLive, toggle };
}

export function LogExplorer() {
  const env = useEnv();
  const list = useList({ filters: FILTERS, sort: '-time' });
  const { url } = list;
  const filter = { ...list.filters, period: url.get('period'), sort: list.sort };
  const { isLive, toggle } = useLive(url);
  const rows = useLiveOperations(filter, isLive);
  const columns = useColumns('logs', LOG_COLUMNS);
  const opened = useOpenRow(url, 'operationId', rows);
  const { open, show, step } = opened;
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
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
      <ListFilters list={list} search="Text, function or ID" columns={columns}>
        <ListFilter list={list} name="states" label="State" options={STATE_OPTIONS} />
        <ListFilter list={list} name="types" label="Type" options={TYPE_OPTIONS} />
        <IntegrationFilter list={list} integrations={integrations} />
        <GivenFilter list={list} name="connections" label="Connection" />
        <GivenFilter list={list} name="syncs" label="Function" />
      </ListFilters>
      <LiveAnnouncer total={rows.total} isLive={isLive} />
      <ListTable
        list={list}
        label="Operations"
        columns={columns.visible}
        rows={rows}
        rowKey={(row) => row.id}
        rowHeight={28}
        opened={opened}
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

const EVERY_MS = 5000;

/** Tells screen readers how many rows came, never each row, and at most every five seconds. */
function LiveAnnouncer({ total, isLive }: { total: number | undefined; isLive: boolean }) {
  const [text, setText] = useState('');
  const latest = useRef(total);
  latest.current = total;
  useEffect(() => {
    if (!isLive) return;
    let known = latest.current;
    const timer = setInterval(() => {
      const count = (latest.current ?? 0) - (known ?? latest.current ?? 0);
      known = latest.current;
      if (count > 0) setText(`${count} new operations`);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {text}
    </div>
  );
}
