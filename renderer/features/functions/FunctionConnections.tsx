import { Button, Menu } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useFrequencyBulk, useSyncBulk } from '../../api/connections/sync-mutations.ts';
import type { FunctionConnectionRow, FunctionDetail } from '../../api/contract.ts';
import { useFunctionConnections } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { SyncCommandBar, type SyncCommandOptions, useSyncCommands } from '../../components/function/SyncCommandBar.tsx';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { useBulk } from '../../components/list/use-bulk.tsx';
import { useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { selectRows } from '../../components/table/selection.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { NextRun } from '../../components/time/NextRun.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { usePreferences } from '../../components/use-preferences.ts';
import { formatFrequency } from '../../lib/format-time.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { DENSITY_HEIGHTS } from '../../lib/preferences.ts';
import { lookOf, SYNC_LOOK } from '../../lib/status.ts';
import { FrequencyDialog } from './FrequencyDialog.tsx';

const COLUMNS: Column<FunctionConnectionRow>[] = [
  {
    id: 'connection',
    header: 'Connection',
    width: 200,
    grow: true,
    sort: 'connection',
    text: (row) => row.connectionId,
    cell: (row) => (
      <span className="row">
        <code className="name cut">{row.connectionId}</code>
        {row.variant !== 'base' && <Tag>{row.variant}</Tag>}
      </span>
    ),
  },
  {
    id: 'variant',
    header: 'Variant',
    width: 96,
    startsHidden: true,
    text: (row) => row.variant,
    cell: (row) => <span className="soft cut">{row.variant}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 96,
    sort: 'status',
    text: (row) => row.status,
    cell: (row) => <StatusBadge look={lookOf(SYNC_LOOK, row.status)} />,
  },
  {
    id: 'frequency',
    header: 'Frequency',
    width: 144,
    text: (row) => row.frequency,
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
    sort: 'lastRun',
    text: (row) => row.lastRun?.startedAt ?? null,
    cell: (row) => <RelativeTime at={row.lastRun?.startedAt ?? null} empty="None yet" />,
  },
  {
    id: 'next',
    header: 'Next',
    width: 88,
    align: 'right',
    sort: 'next',
    text: (row) => (row.scheduleStatus === 'STARTED' ? row.nextRunAt : null),
    cell: (row) => <NextRun row={row} />,
  },
];

const rowKey = (row: FunctionConnectionRow): string => `${row.connectionId}::${row.variant}`;
const nameOf = ({ connectionId, variant }: FunctionConnectionRow): string =>
  variant === 'base' ? connectionId : `${connectionId} (${variant})`;

/** The state of the sync on each connection. */
export function FunctionConnections({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const { integrationKey, name } = data;
  const { density } = usePreferences();
  const [sort, setSort] = useState('connection');
  const rows = useFunctionConnections({ integrationKey, name }, { search, sort });
  const columns = useColumnLayout('function-connections', COLUMNS);
  const bulk = useSyncBulk();
  const selection = useSelection<FunctionConnectionRow>({ filters: { search } });
  const [first, ...others] = [...selection.value.rows.values()];
  const [isChanging, setChanging] = useState(false);
  const frequencies = useFrequencyBulk();
  const changeAll = useBulk<FunctionConnectionRow>();
  const targetsOf = (some: readonly FunctionConnectionRow[]) =>
    some.map(({ connectionId, variant }) => ({ integrationKey, connectionId, sync: name, variant }));
  const saveFrequency = (chosen: FunctionConnectionRow[], frequency: string | null): void => {
    setChanging(false);
    void changeAll({
      doing: 'Changing',
      done: 'changed',
      noun: 'sync',
      rows: chosen,
      nameOf,
      send: (some) => frequencies.mutateAsync({ frequency, targets: targetsOf(some) }),
      // Rows for which it failed stay selected.
      onEnd: (failed) => selection.onChange(selectRows(failed, rowKey)),
    });
  };
  const commands: SyncCommandOptions<FunctionConnectionRow> = {
    nameOf,
    send: ({ command, rows: some }) => bulk.mutateAsync({ command, targets: targetsOf(some) }),
  };
  const order = useSyncCommands(commands);
  const pathOf = ({ connectionId, variant }: FunctionConnectionRow): string => {
    const sync = variant === 'base' ? name : `${name}::${variant}`;
    return `${paths.connection(env, { integrationKey, connectionId }, 'syncs')}?sync=${encodeURIComponent(sync)}`;
  };
  return (
    <>
      <Toolbar isBelowTabs end={<ColumnsMenu layout={columns} rowHeight={DENSITY_HEIGHTS[density]} />}>
        <SearchBox value={search} onChange={setSearch} label="Connection ID" />
      </Toolbar>
      <DataTable
        label="Connections of the sync"
        isMain
        columns={columns}
        source={rows}
        sort={sort}
        onSort={setSort}
        selection={selection}
        rowKey={rowKey}
        rowId={(row) => row.connectionId}
        rowMenu={(row, items) => (
          <Menu.Dropdown>
            <Menu.Item onClick={() => order('RUN', [row])}>Run now</Menu.Item>
            {row.scheduleStatus !== 'STOPPED' && (
              <Menu.Item onClick={() => order(row.scheduleStatus === 'PAUSED' ? 'UNPAUSE' : 'PAUSE', [row])}>
                {row.scheduleStatus === 'PAUSED' ? 'Resume schedule' : 'Pause schedule'}
              </Menu.Item>
            )}
            {row.lastRun && (
              <Menu.Item component={Link} to={paths.operation(env, row.lastRun.operationId)}>
                Open log
              </Menu.Item>
            )}
            <Menu.Divider />
            {items}
          </Menu.Dropdown>
        )}
        onOpen={(row) => void navigate(pathOf(row))}
        rowHref={(row) => windowHref(pathOf(row))}
        empty={
          search === '' ? (
            <EmptyState title="No connections" text="The sync runs for each connection of its integration." />
          ) : (
            <EmptyState title="No connection matches" text={`No connection ID contains “${search}”.`} />
          )
        }
      />
      <SyncCommandBar selection={selection} rows={rows} columns={columns} rowKey={rowKey} {...commands}>
        <Button variant="subtle" leftSection={<IconClock size={16} stroke={1.6} />} onClick={() => setChanging(true)}>
          Change frequency…
        </Button>
      </SyncCommandBar>
      {isChanging && first && (
        <FrequencyDialog
          integrationKey={integrationKey}
          name={name}
          rows={[first, ...others]}
          onSave={(frequency) => saveFrequency([first, ...others], frequency)}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  );
}
