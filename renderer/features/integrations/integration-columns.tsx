import type { IntegrationListItem } from '../../api/contract.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';

function Setup({ row }: { row: IntegrationListItem }) {
  if (row.missingFields.length > 0) {
    return <StatusBadge look={{ label: `Needs ${row.missingFields.join(', ')}`, tone: 'warn', icon: 'triangle' }} />;
  }
  if (row.errorCount > 0) {
    return <StatusBadge look={{ label: formatCount(row.errorCount, 'error'), tone: 'bad', icon: 'alert' }} />;
  }
  return <StatusBadge look={{ label: 'Ready', tone: 'ok', icon: 'check' }} />;
}

export const INTEGRATION_COLUMNS: Column<IntegrationListItem>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 180,
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
    width: 168,
    sort: 'key',
    text: (row) => row.key,
    cell: (row) => <CopyRow value={row.key} label="Copy ID" quiet />,
  },
  {
    id: 'auth',
    header: 'Auth type',
    width: 96,
    sort: 'authMode',
    text: (row) => row.authMode,
    filter: (row) => ['auth', row.authMode],
    cell: (row) => <span className="soft cut">{authModeName(row.authMode)}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 150,
    sort: 'errors',
    text: (row) => row.missingFields.join(' ') || row.errorCount,
    cell: (row) => <Setup row={row} />,
  },
  {
    id: 'connections',
    header: 'Connections',
    width: 104,
    align: 'right',
    sort: 'connections',
    text: (row) => row.connectionCount,
    cell: (row) => formatNumber(row.connectionCount),
  },
  {
    id: 'functions',
    header: 'Functions',
    width: 80,
    text: (row) => row.functionCount,
    align: 'right',
    cell: (row) =>
      row.functionCount === 0 ? <span className="faint">0</span> : `${row.functionsEnabled} of ${row.functionCount}`,
  },
  {
    id: 'used',
    header: 'Last used',
    width: 72,
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
    startsHidden: true,
    text: (row) => row.createdAt,
    cell: (row) => <RelativeTime at={row.createdAt} bare />,
  },
];
