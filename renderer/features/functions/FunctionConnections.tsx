import { useState } from 'react';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionConnectionRow, FunctionDetail } from '../../api/contract.ts';
import { useFunctionConnections } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatFrequency } from '../../lib/format-time.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { lookOf, SYNC_LOOK } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';

const COLUMNS: Column<FunctionConnectionRow>[] = [
  {
    id: 'connection',
    header: 'Connection',
    width: 200,
    grow: true,
    cell: (row) => (
      <span className="row">
        <code className="name cut">{row.connectionId}</code>
        {row.variant !== 'base' && <Tag>{row.variant}</Tag>}
      </span>
    ),
  },
  { id: 'status', header: 'Status', width: 96, cell: (row) => <StatusBadge look={lookOf(SYNC_LOOK, row.status)} /> },
  {
    id: 'frequency',
    header: 'Frequency',
    width: 144,
    cell: (row) => (
      <span className="soft cut">
        {row.frequency ? formatFrequency(row.frequency) : 'On request'}
        {row.hasOwnFrequency && ' (own)'}
      </span>
    ),
  },
  {
    id: 'last',
    header: 'Last run',
    width: 96,
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastRun?.startedAt ?? null} empty="None yet" />,
  },
  {
    id: 'next',
    header: 'Next',
    width: 88,
    align: 'right',
    cell: (row) =>
      row.scheduleStatus === 'STARTED' ? <RelativeTime at={row.nextRunAt} /> : <span className="faint">Paused</span>,
  },
];

/** The state of the sync on each connection. */
export function FunctionConnections({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const { integrationKey, name } = data;
  const rows = useFunctionConnections({ integrationKey, name }, search);
  const pathOf = ({ connectionId, variant }: FunctionConnectionRow): string => {
    const sync = variant === 'base' ? name : `${name}::${variant}`;
    return `${paths.connection(env, { integrationKey, connectionId }, 'syncs')}?sync=${encodeURIComponent(sync)}`;
  };
  return (
    <>
      <div className={classes['bar']}>
        <SearchBox value={search} onChange={setSearch} label="Connection ID" />
      </div>
      <DataTable
        label="Connections of the sync"
        columns={COLUMNS}
        source={rows}
        rowKey={(row) => `${row.connectionId}::${row.variant}`}
        onOpen={(row) => void navigate(pathOf(row))}
        rowHref={(row) => windowHref(pathOf(row))}
        describeError={describeError}
        empty={
          search === '' ? (
            <EmptyState title="No connections" text="The sync runs for each connection of its integration." />
          ) : (
            <EmptyState title="No connection matches" text={`No connection ID contains “${search}”.`} />
          )
        }
      />
    </>
  );
}
