import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { connectionCountQueryOptions, useConnections } from '../../api/connections/connections-queries.ts';
import type { ConnectionCount, ConnectionListItem } from '../../api/contract.ts';
import { usePractice } from '../../api/integrations/integrations-mutations.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { connectionColumns } from '../../components/connection-columns.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { IntegrationFilter, ListFilters } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PracticeButton } from '../../components/PracticeButton.tsx';
import { usePage } from '../../components/page-context.ts';
import { NOTHING_SELECTED } from '../../components/table/selection.ts';
import { useColumns } from '../../components/table/use-columns.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { ConnectionSelection } from './ConnectionSelection.tsx';
import { connectionKey } from './connection-key.ts';
import classes from './StatusViews.module.css';

const COLUMNS = connectionColumns<ConnectionListItem>();

export function ConnectionList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'integrations', 'status'], sort: '-used' });
  const { search, integrations: among, status } = list.filters;
  const rows = useConnections({ ...list.filters, sort: list.sort });
  const count = useQuery(connectionCountQueryOptions(env, { search, integrations: among })).data;
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data ?? [];
  const columns = useColumns('connections', COLUMNS);
  const selection = useSelection(list);
  usePage([{ label: 'Connections' }]);
  // The empty state has its own main button.
  const isEmpty = rows.total === 0 && !list.isFiltered;
  const shown =
    rows.total !== undefined && count && rows.total !== count.total ? `${formatNumber(rows.total)} of ` : '';
  return (
    <>
      <PageHeader
        title="Connections"
        aside={<span className="soft">{count ? `${shown}${formatNumber(count.total)}` : ''}</span>}
      >
        <Button
          variant={isEmpty ? 'default' : 'filled'}
          component={Link}
          to={paths.newConnection(env)}
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          New connection
        </Button>
      </PageHeader>
      <StatusViews count={count} value={status} onChange={(next) => list.url.set({ status: next })} />
      <ListFilters list={list} search="Name, ID, e-mail or tag" columns={columns}>
        <IntegrationFilter list={list} integrations={integrations} />
      </ListFilters>
      <ListTable
        list={list}
        label="Connections"
        columns={columns.visible}
        rows={rows}
        rowKey={connectionKey}
        rowPath={(row) => paths.connection(env, row)}
        selection={selection}
        describeError={describeError}
        nothingFits="No connection fits the search and filters."
        nothing={<FirstConnection />}
      />
      <ConnectionSelection selection={selection.value} onClear={() => selection.onChange(NOTHING_SELECTED)} />
    </>
  );
}

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
function StatusViews({ count, value = 'all', onChange }: StatusViewsProps) {
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

function FirstConnection() {
  const env = useEnv();
  const practice = usePractice({ onError: (error) => notifyError(describeError(error)) });
  return (
    <EmptyState
      title="No connections yet"
      text="A connection holds one user's sign-in to one provider. The practice provider works offline and needs no account."
    >
      <PracticeButton isPending={practice.isPending} onClick={practice.start} />
      <Button variant="default" component={Link} to={paths.newConnection(env)}>
        New connection
      </Button>
    </EmptyState>
  );
}
