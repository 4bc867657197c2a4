import type { IntegrationListItem } from '../../api/contract.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { RunBars, stackedBar } from '../../components/function/RunBars.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { IntegrationMenu } from './IntegrationMenu.tsx';

function Setup({ row }: { row: IntegrationListItem }) {
  if (row.missingFields.length > 0) {
    return <StatusBadge look={{ label: `Needs ${row.missingFields.join(', ')}`, tone: 'warn', icon: 'triangle' }} />;
  }
  if (row.errorCount > 0) {
    return <StatusBadge look={{ label: formatCount(row.errorCount, 'error'), tone: 'bad', icon: 'alert' }} />;
  }
  return <StatusBadge look={{ label: 'Ready', tone: 'ok', icon: 'check' }} />;
}

const callsOf = ({ callHours }: IntegrationListItem): number => callHours.reduce((sum, { calls }) => sum + calls, 0);

/** The last 24 hours as bars, one per hour. */
function Calls({ row }: { row: IntegrationListItem }) {
  const total = callsOf(row);
  if (total === 0) return <span className="faint">None</span>;
  const failed = row.callHours.reduce((sum, one) => sum + one.failed, 0);
  const label = `${formatCount(total, 'call')} in 24 hours, ${formatNumber(failed)} failed`;
  return (
    <span className="row" title={label}>
      <RunBars
        height={18}
        label={label}
        bars={row.callHours.map(({ calls, failed: bad }, hour) => stackedBar(String(hour), calls - bad, bad))}
      />
      <span className="soft">{formatNumber(total)}</span>
    </span>
  );
}

export const INTEGRATION_COLUMNS: Column<IntegrationListItem>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 148,
    narrowWidth: 120,
    grow: true,
    sort: 'name',
    text: (row) => row.displayName,
    cell: (row) => (
      <span className="row">
        <ProviderLogo provider={row.provider} name={row.displayName} />
        <span className="name cut">{row.displayName}</span>
      </span>
    ),
  },
  {
    id: 'key',
    header: 'ID',
    width: 128,
    sort: 'key',
    text: (row) => row.key,
    cell: (row) => <CopyRow value={row.key} label="Copy ID" quiet />,
  },
  {
    id: 'auth',
    header: 'Auth type',
    width: 72,
    sort: 'authMode',
    text: (row) => row.authMode,
    filter: (row) => ['auth', row.authMode],
    cell: (row) => <span className="soft cut">{authModeName(row.authMode)}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 128,
    isEarly: true,
    sort: 'errors',
    text: (row) => row.missingFields.join(' ') || row.errorCount,
    cell: (row) => <Setup row={row} />,
  },
  {
    id: 'connections',
    header: 'Connections',
    width: 84,
    align: 'right',
    sort: 'connections',
    text: (row) => row.connectionCount,
    cell: (row) => formatNumber(row.connectionCount),
  },
  {
    id: 'functions',
    header: 'Functions',
    width: 72,
    sort: 'functions',
    text: (row) => row.functionCount,
    align: 'right',
    cell: (row) =>
      row.functionCount === 0 ? <span className="faint">0</span> : `${row.functionsEnabled} of ${row.functionCount}`,
  },
  {
    id: 'calls',
    header: 'Calls, 24 h',
    width: 116,
    sort: 'calls',
    text: callsOf,
    cell: (row) => <Calls row={row} />,
  },
  {
    id: 'used',
    header: 'Last used',
    width: 64,
    sort: 'used',
    text: (row) => row.lastUsedAt,
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastUsedAt} bare empty="Never" />,
  },
  {
    id: 'provider',
    header: 'Provider',
    width: 120,
    sort: 'provider',
    startsHidden: true,
    text: (row) => row.provider,
    cell: (row) => row.provider,
  },
  {
    id: 'updated',
    header: 'Updated',
    width: 88,
    align: 'right',
    sort: 'updated',
    text: (row) => row.updatedAt,
    startsHidden: true,
    cell: (row) => <RelativeTime at={row.updatedAt} bare />,
  },
  {
    id: 'created',
    header: 'Created',
    width: 88,
    align: 'right',
    sort: 'created',
    startsHidden: true,
    text: (row) => row.createdAt,
    cell: (row) => <RelativeTime at={row.createdAt} bare />,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    width: 160,
    startsHidden: true,
    text: (row) => row.scopes.join(' '),
    cell: (row) => (
      <span className="soft cut" title={row.scopes.join(', ')}>
        {row.scopes.join(', ')}
      </span>
    ),
  },
  {
    id: 'forwarding',
    header: 'Webhook forwarding',
    width: 120,
    startsHidden: true,
    text: (row) => (row.forwardWebhooks ? 'on' : 'off'),
    cell: (row) => (row.forwardWebhooks ? 'On' : <span className="faint">Off</span>),
  },
  {
    id: 'menu',
    header: '',
    isAtEnd: true,
    width: 28,
    align: 'right',
    cell: (row, isActive) => <IntegrationMenu integration={row} isActive={isActive} />,
  },
];
