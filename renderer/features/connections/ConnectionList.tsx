import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconPackageImport, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useNavigate } from 'react-router';
import { connectionCountQueryOptions } from '../../api/attention-queries.ts';
import { useConnections } from '../../api/connections/connections-queries.ts';
import type { ConnectionCount, ConnectionListItem } from '../../api/contract.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { useEnv } from '../../api/use-env.ts';
import {
  CONNECTION_STATUSES,
  connectionColumns,
  connectionStatusName,
} from '../../components/connection/connection-columns.tsx';
import { AfterSelection } from '../../components/list/AfterSelection.tsx';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { FilterChip } from '../../components/list/FilterChip.tsx';
import { ListFilters, ServedFilter } from '../../components/list/ListFilters.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useGrouping } from '../../components/list/use-grouping.ts';
import { type ListState, useList, useSelection } from '../../components/list/use-list.ts';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import type { Column } from '../../components/table/columns.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { tagActiveRow } from '../../components/tag/tag-active-row.ts';
import { useCommands } from '../../components/use-commands.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { connectionKey } from './connection-key.ts';
import classes from './StatusViews.module.css';

// Its content is loaded when a menu opens, as that of the button is.
const ConnectionRowActions = lazy(async () => ({
  default: (await import('./ConnectionRowActions.tsx')).ConnectionRowActions,
}));
const ConnectionListBulk = lazy(async () => ({
  default: (await import('./ConnectionListBulk.tsx')).ConnectionListBulk,
}));
const FirstConnection = lazy(async () => ({ default: (await import('./FirstConnection.tsx')).FirstConnection }));

const RowTags = lazy(async () => ({ default: (await import('./RowTags.tsx')).RowTags }));

const COLUMNS: Column<ConnectionListItem>[] = [
  ...connectionColumns((row, isActive) => (
    <Suspense fallback={null}>
      <RowTags row={row} isActive={isActive} />
    </Suspense>
  )),
  {
    id: 'menu',
    header: '',
    isAtEnd: true,
    width: 28,
    align: 'right',
    cell: (row, isActive) => <ConnectionRowMenu row={row} isActive={isActive} />,
  },
];

export function ConnectionList() {
  const env = useEnv();
  const list = useList({ filters: ['search', 'integrations', 'status', 'authModes', 'tags'], sort: '-used' });
  const { search, integrations: among, authModes, tags } = list.filters;
  const grouping = useGrouping('connections');
  const rows = useConnections({ ...list.filters, sort: list.sort, groupBy: grouping.by });
  const count = useQuery(connectionCountQueryOptions(env, { search, integrations: among, authModes, tags })).data;
  const integrations = useFilterValues('connections.integrations', Boolean(among));
  const modes = useFilterValues('connections.authModes', Boolean(authModes));
  const tagValues = useFilterValues('connections.tags', Boolean(tags));
  const columns = useColumnLayout('connections', COLUMNS);
  const selection = useSelection<ConnectionListItem>(list);
  const navigate = useNavigate();
  useCommands([
    { ...KEY_MAP.create, label: 'New connection', run: () => void navigate(paths.newConnection(env)) },
    { ...KEY_MAP.tag, run: () => tagActiveRow(columns) },
  ]);
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
          variant="default"
          component={Link}
          to={paths.import(env)}
          leftSection={<IconPackageImport size={16} stroke={1.6} />}
        >
          Import
        </Button>
        <Button
          variant={isEmpty ? 'default' : 'filled'}
          component={Link}
          to={paths.newConnection(env)}
          leftSection={<IconPlus size={16} stroke={1.6} />}
        >
          New connection
        </Button>
      </PageHeader>
      <StatusViews count={count} list={list} />
      <ListFilters
        list={list}
        search="Name, ID, e-mail or tag"
        columns={columns}
        grouping={grouping}
        views="connections"
        end={
          <ExportMenu
            fileName="connections"
            read={(options) =>
              exportList({
                list: 'GET /api/v1/connections',
                query: { env, ...list.filters, sort: list.sort },
                ...options,
              })
            }
          />
        }
      >
        <ServedFilter list={list} name="integrations" label="Integration" values={integrations} />
        <StatusFilter count={count} list={list} />
        <ServedFilter list={list} name="authModes" label="Auth type" values={modes} labelOf={authModeName} />
        <ServedFilter list={list} name="tags" label="Tag" values={tagValues} />
      </ListFilters>
      <ListTable
        list={list}
        label="Connections"
        columns={columns}
        rows={rows}
        rowKey={connectionKey}
        rowId={(row) => row.connectionId}
        rowPath={(row) => paths.connection(env, row)}
        rowMenu={(row, items) => <ConnectionRowActions row={row}>{items}</ConnectionRowActions>}
        selection={selection}
        grouping={grouping}
        describeGroup={connectionStatusName}
        nothingFits="No connection matches the search and filters."
        describeFilter={{ status: connectionStatusName, authModes: authModeName }}
        nothing={
          <Suspense fallback={null}>
            <FirstConnection />
          </Suspense>
        }
      />
      <AfterSelection selection={selection}>
        <ConnectionListBulk selection={selection} rows={rows} columns={columns} />
      </AfterSelection>
    </>
  );
}

const VIEWS = [
  { value: 'all', label: 'All', count: 'total' },
  { value: 'auth_error', label: 'Sign-in needed', count: 'auth_error' },
  { value: 'sync_error', label: 'Failing syncs', count: 'sync_error' },
  { value: 'paused', label: 'Paused', count: 'paused' },
] as const;

/** `error` of an address stands for both kinds. */
const chosenStatuses = ({ filters }: ListState<'status'>): string[] =>
  splitList(filters.status).flatMap((one) => (one === 'error' ? ['auth_error', 'sync_error'] : [one]));

/** The status filter with every status, several at once. */
function StatusFilter({ count, list }: { count: ConnectionCount | undefined; list: ListState<'status'> }) {
  return (
    <FilterChip
      label="Status"
      options={CONNECTION_STATUSES.map((value) => ({
        value,
        label: connectionStatusName(value),
        ...(count && { count: count[value] }),
      }))}
      selected={chosenStatuses(list)}
      onChange={(next) => list.url.set({ status: next.join(',') })}
    />
  );
}

/** The statuses used most, as links with their counts. */
function StatusViews({ count, list }: { count: ConnectionCount | undefined; list: ListState<'status'> }) {
  const chosen = chosenStatuses(list);
  const isCurrent = (value: string): boolean => (value === 'all' ? chosen.length === 0 : chosen.includes(value));
  return (
    <nav className={`rigid gutter flex line-below ${classes['views']}`} aria-label="Status">
      {VIEWS.map((view) => (
        <Link
          className="tab rigid soft name one-line"
          key={view.value}
          to={list.url.search({ status: view.value })}
          aria-current={isCurrent(view.value) ? 'true' : undefined}
        >
          {view.label} <span className="faint">{count ? formatNumber(count[view.count]) : ''}</span>
        </Link>
      ))}
    </nav>
  );
}

const loadActions = () => import('./ConnectionRowActions.tsx');

/** The menu of a connection in the list. Its content is loaded when it opens. */
function ConnectionRowMenu({ row, isActive }: { row: ConnectionListItem; isActive: boolean }) {
  const [content, setContent] = useState<Awaited<ReturnType<typeof loadActions>>>();
  const [isOpen, setOpen] = useState(false);
  const open = async (): Promise<void> => {
    const actions = await loadActions();
    // The menu notes where the focus was only if its content was there before it opens.
    flushSync(() => setContent(actions));
    setOpen(true);
  };
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={(next) => (next ? void open() : setOpen(false))}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions of ${row.displayName ?? row.connectionId}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      {content && <content.ConnectionRowActions row={row} />}
    </Menu>
  );
}
