import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { ConnectionDetail, OperationListItem } from '../../api/contract.ts';
import { connectionOperationsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './SyncsTab.module.css';

const KINDS = [
  { value: '', label: 'All' },
  { value: 'auth', label: 'Auth' },
  { value: 'sync', label: 'Syncs' },
  { value: 'action', label: 'Actions' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'proxy', label: 'Proxy' },
];

const COLUMNS: Column<OperationListItem>[] = [
  {
    id: 'what',
    header: 'What',
    width: 240,
    grow: true,
    cell: (row) => (
      <span className={classes['two']}>
        <span className="name cut">{row.syncConfigName ?? row.message}</span>
        <small title={row.error?.message}>
          {row.error ? <span className={classes['error']}>{row.error.message}</span> : kindOf(row)}
        </small>
      </span>
    ),
  },
  {
    id: 'result',
    header: 'Result',
    width: 92,
    cell: (row) => <StatusBadge look={lookOf(OPERATION_LOOK, row.state)} />,
  },
  { id: 'who', header: 'Started by', width: 88, cell: (row) => <span className="soft">{row.trigger ?? '–'}</span> },
  { id: 'took', header: 'Took', width: 64, align: 'right', cell: (row) => formatDuration(row.durationMs) },
  {
    id: 'when',
    header: 'When',
    width: 88,
    align: 'right',
    cell: (row) => <RelativeTime at={row.startedAt ?? row.createdAt} />,
  },
];

const kindOf = ({ operation }: OperationListItem): string =>
  `${operation.type} · ${operation.action.replaceAll('_', ' ')}`;

/** What happened with the connection, the newest first. */
export function ActivityTab({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const url = useUrlState();
  const kind = url.get('types') ?? '';
  const operations = useQuery(connectionOperationsQueryOptions(env, connection, kind || undefined));
  const logs = new URLSearchParams({
    integrations: connection.integrationKey,
    connections: connection.connectionId,
    ...(kind === '' ? {} : { types: kind }),
  });
  return (
    <>
      <div className={classes['bar']}>
        <div className={classes['kinds']}>
          <SegmentedControl
            aria-label="Kind of activity"
            size="xs"
            data={KINDS}
            value={kind}
            onChange={(next) => url.set({ types: next })}
          />
        </div>
        <Button size="xs" variant="subtle" component={Link} to={`/${env}/logs?${logs}`}>
          Search in logs
        </Button>
      </div>
      <div className={classes['table']}>
        <DataTable
          label="Activity"
          isMain
          columns={COLUMNS}
          source={wholeRows({ ...operations, data: operations.data?.data })}
          rowHeight={52}
          rowKey={(row) => row.id}
          onOpen={(row) => void navigate(paths.operation(env, row.id))}
          rowHref={(row) => windowHref(paths.operation(env, row.id))}
          describeError={describeError}
          empty={
            <EmptyState
              title={kind === '' ? 'No activity yet' : 'Nothing of this kind'}
              text="Sign-ins, refreshes, runs, webhooks and proxy calls appear here until the retention of logs removes them."
            />
          }
        />
      </div>
    </>
  );
}
