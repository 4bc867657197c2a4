import { authModeName } from '../lib/auth-modes.ts';
import { formatNumber } from '../lib/format-number.ts';
import { CONNECTION_LOOK, lookOf, type StatusLook } from '../lib/status.ts';
import { CopyRow } from './CopyRow.tsx';
import { PersonMark } from './PersonMark.tsx';
import { ProviderLogo } from './ProviderLogo.tsx';
import { RelativeTime } from './RelativeTime.tsx';
import { StatusBadge } from './StatusBadge.tsx';
import { TokenExpiry } from './TokenExpiry.tsx';
import type { Column } from './table/columns.ts';

/** What a table of connections shows of each. */
interface ConnectionShape {
  connectionId: string;
  integrationName: string;
  provider: string;
  authMode: string;
  displayName: string | null;
  email: string | null;
  status: string;
  isRunning: boolean;
  syncCount: number;
  recordCount: number;
  tokenExpiresAt: string | null;
  isRefreshable: boolean;
  lastUsedAt: string | null;
  createdAt: string;
}

/** Trouble first, then what goes on, then how it is. */
export function connectionLook(row: { status: string; isRunning: boolean }): StatusLook {
  return lookOf(CONNECTION_LOOK, row.status === 'ok' && row.isRunning ? 'running' : row.status);
}

export function connectionColumns<Row extends ConnectionShape>(): Column<Row>[] {
  return [
    {
      id: 'name',
      header: 'Customer',
      width: 220,
      grow: true,
      sort: 'name',
      cell: (row) => {
        const name = row.displayName ?? row.connectionId;
        return (
          <span className="row">
            <PersonMark name={name} />
            <span className="name cut keeps">{name}</span>
            <span className="faint cut">{row.email}</span>
          </span>
        );
      },
    },
    {
      id: 'integration',
      header: 'Integration',
      width: 120,
      sort: 'integration',
      cell: (row) => (
        <span className="row">
          <ProviderLogo provider={row.provider} name={row.integrationName} />
          <span className="cut">{row.integrationName}</span>
        </span>
      ),
    },
    {
      id: 'id',
      header: 'Connection ID',
      width: 92,
      sort: 'id',
      cell: (row) => <CopyRow value={row.connectionId} label="Copy connection ID" quiet />,
    },
    {
      id: 'status',
      header: 'Status',
      width: 120,
      sort: 'status',
      cell: (row) => <StatusBadge look={connectionLook(row)} />,
    },
    {
      id: 'syncs',
      header: 'Syncs',
      width: 48,
      align: 'right',
      sort: 'syncs',
      cell: (row) => formatNumber(row.syncCount),
    },
    {
      id: 'records',
      header: 'Records',
      width: 64,
      align: 'right',
      sort: 'records',
      cell: (row) => formatNumber(row.recordCount),
    },
    {
      id: 'expires',
      header: 'Token expires',
      width: 92,
      align: 'right',
      sort: 'expires',
      cell: (row) => <TokenExpiry at={row.tokenExpiresAt} isRefreshable={row.isRefreshable} />,
    },
    {
      id: 'used',
      header: 'Used',
      width: 56,
      align: 'right',
      sort: 'used',
      cell: (row) => <RelativeTime at={row.lastUsedAt} bare empty="Never" />,
    },
    {
      id: 'auth',
      header: 'Auth type',
      width: 96,
      startsHidden: true,
      cell: (row) => <span className="soft">{authModeName(row.authMode)}</span>,
    },
    {
      id: 'created',
      header: 'Created',
      width: 72,
      align: 'right',
      sort: 'created',
      startsHidden: true,
      cell: (row) => <RelativeTime at={row.createdAt} bare />,
    },
  ];
}
