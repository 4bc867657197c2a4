import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { connectionCountQuery, useConnections } from '../../api/connections/connections-queries.ts';
import type { ConnectionRow } from '../../api/contract.ts';
import { integrationOptionsQuery } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { connectionColumns } from '../../components/connection-columns.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { Toolbar } from '../../components/Toolbar.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { NOTHING_SELECTED } from '../../components/table/selection.ts';
import { useColumns } from '../../components/table/use-columns.ts';
import { UrlIntegrationFilter, UrlSearch } from '../../components/UrlFilters.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { FirstConnection, NoMatchingConnection } from './ConnectionEmpty.tsx';
import { ConnectionSelection } from './ConnectionSelection.tsx';
import { connectionKey } from './connection-key.ts';
import { StatusViews } from './StatusViews.tsx';

const COLUMNS = connectionColumns<ConnectionRow>();

export function ConnectionList() {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const filter = {
    search: url.get('search'),
    integrations: url.get('integrations'),
    status: url.get('status'),
    sort: url.get('sort') ?? '-used',
  };
  const rows = useConnections(filter);
  const count = useQuery(connectionCountQuery(env, { search: filter.search, integrations: filter.integrations })).data;
  const integrations = useQuery(integrationOptionsQuery(env)).data ?? [];
  const columns = useColumns('connections', COLUMNS);
  const [selected, setSelected] = useState(NOTHING_SELECTED);
  usePage([{ label: 'Connections' }]);
  const isFiltered = Boolean(filter.search || filter.integrations || filter.status);
  // The empty state has its own main button.
  const isEmpty = rows.total === 0 && !isFiltered;
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
      <StatusViews count={count} value={filter.status} onChange={(status) => url.set({ status })} />
      <Toolbar end={<ColumnsMenu choice={columns} />}>
        <UrlSearch url={url} label="Name, ID, e-mail or tag" />
        <UrlIntegrationFilter url={url} integrations={integrations} />
      </Toolbar>
      <DataTable
        label="Connections"
        columns={columns.visible}
        source={rows}
        rowKey={connectionKey}
        sort={filter.sort}
        onSort={(sort) => url.set({ sort })}
        onOpen={(row) => void navigate(paths.connection(env, row))}
        rowHref={(row) => windowHref(paths.connection(env, row))}
        selection={{ value: selected, onChange: setSelected }}
        describeError={describeError}
        empty={
          isFiltered ? (
            <NoMatchingConnection onClear={() => url.set({ search: '', integrations: '', status: '' })} />
          ) : (
            <FirstConnection />
          )
        }
      />
      <ConnectionSelection selection={selected} onClear={() => setSelected(NOTHING_SELECTED)} />
    </>
  );
}
