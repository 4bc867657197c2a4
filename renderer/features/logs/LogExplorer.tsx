import { Button } from '@mantine/core';
import { IconBroadcast, IconPlayerPause } from '@tabler/icons-react';
import { useEffect } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useIntegrationOptions } from '../../api/use-integration-options.ts';
import { useLiveOperations } from '../../api/use-live-operations.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterChip } from '../../components/FilterChip.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { usePage } from '../../components/page-context.ts';
import { SearchBox } from '../../components/SearchBox.tsx';
import { SplitView } from '../../components/SplitView.tsx';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useRowSteps } from '../../components/table/use-row-steps.ts';
import { type UrlState, useUrlState } from '../../components/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';
import { splitList } from '../../lib/search-params.ts';
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
  const open = url.get('operationId');
  const show = (operationId: string | undefined): void => url.set({ operationId }, { replace: true });
  const step = useRowSteps(
    rows,
    (row) => row.id,
    open,
    (row) => show(row.id),
  );
  usePage([{ label: 'Logs' }]);
  const clear = (): void => url.set(Object.fromEntries(FILTERS.map((name) => [name, ''])));
  const isFiltered = FILTERS.some((name) => values[name]);
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
      <DataTable
        label="Operations"
        columns={columns.visible}
        source={rows}
        rowKey={(row) => row.id}
        rowHeight={28}
        sort={url.get('sort') ?? '-time'}
        onSort={(sort) => url.set({ sort: sort === '-time' ? '' : sort })}
        onOpen={(row) => show(row.id)}
        openKey={open}
        onClose={() => show(undefined)}
        heldCount={rows.heldCount}
        onShowHeld={rows.showHeld}
        onTopChange={rows.setAtTop}
        describeError={describeError}
        empty={
          isFiltered ? (
            <EmptyState
              title="Nothing matches"
              text="No operation fits the search and filters. New ones appear as they happen."
            >
              <Button variant="default" onClick={clear}>
                Clear filters
              </Button>
            </EmptyState>
          ) : (
            <EmptyState
              title="Nothing happened yet"
              text="Every run, proxy call, sign-in and webhook is listed here, with its messages."
            />
          )
        }
      />
    </SplitView>
  );
}

function LogFilters({ url, columns }: { url: UrlState; columns: React.ReactNode }) {
  const integrations = useIntegrationOptions().data ?? [];
  const [connections, syncs] = [splitList(url.get('connections')), splitList(url.get('syncs'))];
  return (
    <Toolbar end={columns}>
      <SearchBox
        label="Text, function or ID"
        value={url.get('search') ?? ''}
        onChange={(search) => url.set({ search }, { replace: true })}
      />
      <FilterChip
        label="State"
        options={STATE_OPTIONS}
        selected={splitList(url.get('states'))}
        onChange={(values) => url.set({ states: values.join(',') })}
      />
      <FilterChip
        label="Type"
        options={TYPE_OPTIONS}
        selected={splitList(url.get('types'))}
        onChange={(values) => url.set({ types: values.join(',') })}
      />
      <FilterChip
        label="Integration"
        options={integrations.map((one) => ({
          value: one.key,
          label: one.displayName,
          icon: <ProviderLogo provider={one.provider} name={one.displayName} />,
        }))}
        selected={splitList(url.get('integrations'))}
        onChange={(values) => url.set({ integrations: values.join(',') })}
      />
      {connections.length > 0 && (
        <FilterChip
          label="Connection"
          options={connections.map((value) => ({ value, label: value }))}
          selected={connections}
          onChange={(values) => url.set({ connections: values.join(',') })}
        />
      )}
      {syncs.length > 0 && (
        <FilterChip
          label="Function"
          options={syncs.map((value) => ({ value, label: value }))}
          selected={syncs}
          onChange={(values) => url.set({ syncs: values.join(',') })}
        />
      )}
    </Toolbar>
  );
}
