import type { OperationListItem } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { clockWidth, formatClock } from '../../lib/format-time.ts';
import { operationLook, triggerName } from '../../lib/status.ts';
import { OperationMark } from './OperationMark.tsx';

const Faint = () => <span className="faint">–</span>;

/** The columns of the log; times in UTC or in the shown zone. */
export const logColumns = (isUtc: boolean): Column<OperationListItem>[] => [
  {
    id: 'time',
    header: 'Time',
    width: clockWidth(132),
    sort: 'time',
    text: (row) => row.createdAt,
    cell: (row) => (
      <span className="row">
        <OperationMark operation={row} size={14} />
        <time dateTime={row.createdAt} className="mono soft">
          {formatClock(row.createdAt, Date.now(), true, isUtc)}
        </time>
      </span>
    ),
  },
  {
    id: 'took',
    header: 'Took',
    width: 60,
    align: 'right',
    sort: 'duration',
    text: (row) => row.durationMs,
    cell: (row) => <OperationDuration operation={row} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 88,
    text: (row) => row.state,
    filter: (row) => ['states', row.state],
    cell: (row) => <StatusBadge look={operationLook(row)} />,
  },
  {
    id: 'type',
    header: 'Type',
    width: 132,
    grow: true,
    text: (row) => `${row.operation.type}:${row.operation.action}`,
    filter: (row) => ['types', `${row.operation.type}:${row.operation.action}`],
    cell: (row) => <span className="soft cut">{`${row.operation.type}:${row.operation.action}`}</span>,
  },
  {
    id: 'function',
    header: 'Function or request',
    width: 168,
    grow: true,
    text: (row) => row.syncConfigName ?? row.message,
    filter: ({ syncConfigName }) => (syncConfigName === null ? undefined : ['syncs', syncConfigName]),
    cell: (row) =>
      row.syncConfigName ? (
        <code className="cut">{row.syncConfigName}</code>
      ) : (
        <span className="soft cut">{row.message}</span>
      ),
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 120,
    text: (row) => row.integrationName,
    filter: ({ integrationName }) => (integrationName === null ? undefined : ['integrations', integrationName]),
    cell: ({ integrationName }) => (
      <span className="cut">
        {integrationName === null ? <Faint /> : <IntegrationName integrationKey={integrationName} />}
      </span>
    ),
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 128,
    grow: true,
    text: (row) => row.connectionName,
    filter: ({ connectionName }) => (connectionName === null ? undefined : ['connections', connectionName]),
    cell: (row) => <span className="cut">{row.endUserName ?? row.connectionName ?? <Faint />}</span>,
  },
  {
    id: 'trigger',
    header: 'Trigger',
    width: 72,
    startsHidden: true,
    text: (row) => row.trigger,
    cell: (row) => (row.trigger === null ? <Faint /> : triggerName(row.trigger)),
  },
  {
    id: 'app',
    header: 'App',
    width: 100,
    startsHidden: true,
    text: (row) => row.actor,
    cell: (row) => <span className="cut">{row.actor ?? <Faint />}</span>,
  },
  {
    id: 'calls',
    header: 'HTTP calls',
    width: 76,
    align: 'right',
    startsHidden: true,
    text: (row) => row.httpCalls,
    cell: (row) => (row.httpCalls === 0 ? <Faint /> : formatNumber(row.httpCalls)),
  },
  {
    id: 'records',
    header: 'Records',
    width: 72,
    align: 'right',
    startsHidden: true,
    text: (row) => row.recordsChanged,
    cell: (row) => (row.recordsChanged === 0 ? <Faint /> : formatNumber(row.recordsChanged)),
  },
  {
    id: 'error',
    header: 'Error',
    width: 200,
    startsHidden: true,
    text: (row) => row.error?.message ?? null,
    cell: (row) => <span className="cut">{row.error?.message ?? <Faint />}</span>,
  },
];
