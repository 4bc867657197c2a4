import type { ConnectionListItem } from '../../api/contract.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { CONNECTION_LOOK, lookOf, type StatusLook } from '../../lib/status.ts';
import { CopyRow } from '../CopyRow.tsx';
import { StatusBadge } from '../StatusBadge.tsx';
import type { Column } from '../table/columns.ts';
import { RelativeTime } from '../time/RelativeTime.tsx';
import { PersonMark } from './PersonMark.tsx';
import { ProviderLogo } from './ProviderLogo.tsx';
import { TokenExpiry } from './TokenExpiry.tsx';

/** A failure is shown before a running sync, and a running sync before the status ok. */
export function connectionLook(row: { status: string; isRunning: boolean }): StatusLook {
  return lookOf(CONNECTION_LOOK, row.status === 'ok' && row.isRunning ? 'running' : row.status);
}

export const connectionStatusName = (value: string): string => lookOf(CONNECTION_LOOK, value).label;

/** What a list of connections can be narrowed to. */
export const CONNECTION_STATUSES = ['ok', 'auth_error', 'sync_error', 'paused'] as const;

/** A zero needs no attention: it is shown dimmed. */
function Amount({ value }: { value: number }) {
  return value === 0 ? <span className="faint">0</span> : formatNumber(value);
}

/** Tags that a person gave; those of the end user are in the name's column. */
export const ownTags = ({ tags }: Pick<ConnectionListItem, 'tags'>): Array<[name: string, value: string]> =>
  Object.entries(tags).filter(([name]) => !name.startsWith('end_user_'));

/** The columns of a table of connections; `tagsOf` shows the tags of a row so that they can be changed. */
export function connectionColumns(tagsOf: Column<ConnectionListItem>['cell']): Column<ConnectionListItem>[] {
  return [
    {
      id: 'name',
      header: 'Customer',
      width: 176,
      narrowWidth: 124,
      grow: true,
      sort: 'name',
      text: (row) => row.displayName ?? row.connectionId,
      cell: (row) => {
        const name = row.displayName ?? row.connectionId;
        return (
          <span className="row">
            <span className="wide">
              <PersonMark name={name} />
            </span>
            <span className="name cut keeps">{name}</span>
            <span className="faint cut wide">{row.email}</span>
          </span>
        );
      },
    },
    {
      id: 'integration',
      header: 'Integration',
      width: 128,
      sort: 'integration',
      text: (row) => row.integrationKey,
      filter: (row) => ['integrations', row.integrationKey],
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
      width: 88,
      sort: 'id',
      text: (row) => row.connectionId,
      cell: (row) => <CopyRow value={row.connectionId} label="Copy connection ID" quiet />,
    },
    {
      id: 'status',
      header: 'Status',
      width: 120,
      isEarly: true,
      sort: 'status',
      text: (row) => row.status,
      filter: (row) => ['status', row.status],
      cell: (row) => (
        <span className="row" title={row.lastError?.message ?? undefined}>
          <StatusBadge look={connectionLook(row)} />
        </span>
      ),
    },
    {
      id: 'syncs',
      header: 'Syncs',
      width: 48,
      align: 'right',
      sort: 'syncs',
      text: (row) => row.syncCount,
      cell: (row) => <Amount value={row.syncCount} />,
    },
    {
      id: 'records',
      header: 'Records',
      width: 64,
      align: 'right',
      sort: 'records',
      text: (row) => row.recordCount,
      cell: (row) => <Amount value={row.recordCount} />,
    },
    {
      id: 'expires',
      header: 'Token expires',
      width: 92,
      align: 'right',
      sort: 'expires',
      text: (row) => row.tokenExpiresAt,
      cell: (row) => <TokenExpiry at={row.tokenExpiresAt} isRefreshable={row.isRefreshable} />,
    },
    {
      id: 'used',
      header: 'Used',
      width: 56,
      align: 'right',
      sort: 'used',
      text: (row) => row.lastUsedAt,
      cell: (row) => <RelativeTime at={row.lastUsedAt} bare empty="Never" />,
    },
    {
      id: 'error',
      header: 'Last error',
      width: 220,
      startsHidden: true,
      sort: 'error',
      text: (row) => row.lastError && (row.lastError.message ?? row.lastError.at),
      cell: (row) =>
        row.lastError && (
          <span className="row" title={row.lastError.message ?? undefined}>
            <span className="soft cut">{row.lastError.message ?? 'The reason is no longer in the log'}</span>
            <span className="faint">
              <RelativeTime at={row.lastError.at} bare />
            </span>
          </span>
        ),
    },
    {
      id: 'auth',
      header: 'Auth type',
      width: 96,
      sort: 'auth',
      startsHidden: true,
      text: (row) => row.authMode,
      cell: (row) => <span className="soft">{authModeName(row.authMode)}</span>,
    },
    {
      id: 'created',
      header: 'Created',
      width: 72,
      align: 'right',
      sort: 'created',
      text: (row) => row.createdAt,
      startsHidden: true,
      cell: (row) => <RelativeTime at={row.createdAt} bare />,
    },
    {
      id: 'tags',
      header: 'Tags',
      width: 240,
      startsHidden: true,
      text: (row) => JSON.stringify(row.tags),
      cell: tagsOf,
    },
  ];
}
