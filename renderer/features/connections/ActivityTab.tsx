import { Button, SegmentedControl } from '@mantine/core';
import { Link } from 'react-router';
import type { ConnectionDetail, OperationListItem } from '../../api/contract.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { readHar } from '../../api/logs/read-har.ts';
import { useLiveOperations } from '../../api/logs/use-live-operations.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListSelection } from '../../components/list/ListSelection.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import type { Column } from '../../components/table/columns.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { usePreferences } from '../../components/use-preferences.ts';
import { paths } from '../../lib/paths.ts';
import { DENSITY_HEIGHTS } from '../../lib/preferences.ts';
import { operationLook, triggerName } from '../../lib/status.ts';
import classes from './SyncsTab.module.css';

const KINDS = [
  { value: '', label: 'All' },
  { value: 'auth', label: 'Auth' },
  { value: 'sync', label: 'Syncs' },
  { value: 'action', label: 'Actions' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'proxy', label: 'Proxy' },
];

/** As the log writes it. */
const kindOf = ({ operation }: OperationListItem): string => `${operation.type}:${operation.action}`;

const COLUMNS: Column<OperationListItem>[] = [
  {
    id: 'what',
    header: 'What',
    width: 156,
    grow: true,
    text: (row) => row.error?.message ?? row.syncConfigName ?? row.message,
    cell: (row) => (
      <span className="row" title={row.error?.message}>
        <span className="name cut keeps">{row.syncConfigName ?? row.message}</span>
        {row.error && <span className="bad cut">{row.error.message}</span>}
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    width: 124,
    text: kindOf,
    cell: (row) => <span className="soft cut">{kindOf(row)}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    isEarly: true,
    width: 92,
    text: (row) => row.state,
    cell: (row) => <StatusBadge look={operationLook(row)} />,
  },
  {
    id: 'who',
    header: 'Started by',
    width: 88,
    text: (row) => row.trigger,
    cell: (row) => <span className="soft">{row.trigger === null ? '–' : triggerName(row.trigger)}</span>,
  },
  {
    id: 'took',
    header: 'Took',
    width: 64,
    align: 'right',
    sort: 'duration',
    text: (row) => row.durationMs,
    cell: (row) => <OperationDuration operation={row} />,
  },
  {
    id: 'when',
    header: 'When',
    width: 88,
    align: 'right',
    sort: 'time',
    text: (row) => row.startedAt ?? row.createdAt,
    cell: (row) => <RelativeTime at={row.startedAt ?? row.createdAt} />,
  },
];

const rowKey = (row: { id: string }): string => row.id;

/** Activity of the connection; new rows appear as they are logged. */
export function ActivityTab({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  const list = useList({ filters: ['types'], sort: '-time' });
  const { types: kind = '' } = list.filters;
  const { integrationKey, connectionId } = connection;
  const filter = { integrations: integrationKey, connections: connectionId, types: kind || undefined, sort: list.sort };
  const rows = useLiveOperations(filter, true);
  const columns = useColumnLayout('activity', COLUMNS);
  const rowHeight = DENSITY_HEIGHTS[usePreferences().density];
  const selection = useSelection<OperationListItem>(list);
  const logs = new URLSearchParams({
    integrations: integrationKey,
    connections: connectionId,
    ...(kind === '' ? {} : { types: kind }),
  });
  return (
    <>
      <div className={`rigid line-below flex gap-8 wrap ${classes['bar']}`}>
        <div className={`scroll ${classes['kinds']}`} style={{ maxWidth: '100%' }}>
          <SegmentedControl
            aria-label="Kind of activity"
            size="xs"
            data={KINDS}
            value={kind}
            onChange={(next) => list.url.set({ types: next })}
          />
        </div>
        <Button size="xs" variant="subtle" component={Link} to={`/${env}/logs?${logs}`}>
          Search in logs
        </Button>
        <ColumnsMenu layout={columns} rowHeight={rowHeight} />
        <ExportMenu
          fileName={`activity-${connectionId}`}
          other={{
            label: 'Requests to the provider as HAR',
            fileName: `requests-${connectionId}.har`,
            read: () => readHar(env, filter),
          }}
          read={(options) => exportList({ list: 'GET /api/v1/logs/operations', query: { env, ...filter }, ...options })}
        />
      </div>
      <div className={`stack fills ${classes['table']}`}>
        <ListTable
          list={list}
          label="Activity"
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          rowId={rowKey}
          rowPath={(row) => paths.operation(env, row.id)}
          selection={selection}
          nothingFits="No activity of this kind."
          nothing={
            <EmptyState
              title="No activity yet"
              text="Sign-ins, refreshes, runs, webhooks and proxy calls appear here until the retention of logs removes them."
            />
          }
        />
      </div>
      <ListSelection selection={selection} rows={rows} columns={columns} rowKey={rowKey} />
    </>
  );
}
