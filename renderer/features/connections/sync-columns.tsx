import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { SyncListItem } from '../../api/contract.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import type { Column } from '../../components/table/columns.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { formatFrequency } from '../../lib/format-time.ts';
import { lookOf, SYNC_LOOK } from '../../lib/status.ts';
import { SyncMenu } from './SyncMenu.tsx';
import classes from './SyncsTab.module.css';

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

function changes(row: SyncListItem): string {
  const results = Object.values(row.latestResult);
  const total = (kind: 'added' | 'updated' | 'deleted'): number => results.reduce((all, one) => all + one[kind], 0);
  return results.length === 0
    ? ''
    : `+${formatNumber(total('added'))} ~${formatNumber(total('updated'))} −${formatNumber(total('deleted'))}`;
}

const interval = ({ frequency }: SyncListItem): string =>
  frequency ? formatFrequency(frequency.replace(/^every /, '')) : 'Manual';

function LastRun({ row }: { row: SyncListItem }) {
  const error = row.status === 'ERROR' ? row.lastRun?.error : null;
  return (
    <span className={classes['two']}>
      <StatusBadge look={lookOf(SYNC_LOOK, row.status)} />
      <small title={error ?? undefined}>
        {row.lastRun ? <RelativeTime at={row.lastRun.finishedAt ?? row.lastRun.startedAt} /> : 'No run yet'}
        {error && <span className={classes['error']}>{`: ${error}`}</span>}
      </small>
    </span>
  );
}

export function syncColumns(connection: ConnectionRef): Column<SyncListItem>[] {
  return [
    {
      id: 'name',
      header: 'Sync',
      width: 184,
      cell: (row) => (
        <span className={classes['two']}>
          <span className={classes['name']}>
            <code className="name cut">{row.name}</code>
            {row.variant !== 'base' && <Tag>{row.variant}</Tag>}
          </span>
          <small>{row.models.join(', ')}</small>
        </span>
      ),
    },
    { id: 'status', header: 'Last run', width: 200, grow: true, cell: (row) => <LastRun row={row} /> },
    { id: 'frequency', header: 'Every', width: 72, cell: (row) => <span className="soft">{interval(row)}</span> },
    {
      id: 'records',
      header: 'Records',
      width: 92,
      align: 'right',
      cell: (row) => (
        <span className={classes['two']}>
          <span>{formatNumber(sum(row.recordCount))}</span>
          <small>{changes(row)}</small>
        </span>
      ),
    },
    {
      id: 'next',
      header: 'Next',
      width: 76,
      align: 'right',
      cell: (row) =>
        row.scheduleStatus === 'STARTED' ? <RelativeTime at={row.nextRunAt} /> : <span className="faint">Paused</span>,
    },
    {
      id: 'menu',
      header: '',
      width: 28,
      align: 'right',
      cell: (row, isActive) => <SyncMenu row={row} connection={connection} isActive={isActive} />,
    },
  ];
}
