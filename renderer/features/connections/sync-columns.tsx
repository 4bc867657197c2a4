import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { SyncListItem } from '../../api/contract.ts';
import { RunBars } from '../../components/function/RunBars.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { NextRun } from '../../components/time/NextRun.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { failureWords } from '../../lib/failure-words.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatFrequency } from '../../lib/format-time.ts';
import { lookOf, SYNC_LOOK } from '../../lib/status.ts';
import { SyncMenu } from './SyncMenu.tsx';
import classes from './SyncsTab.module.css';

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const SIGNS = { added: '+', updated: '~', deleted: '−' } as const;

/** Only the numbers that are not zero: "+14 −1"; nothing for a run without changes. */
function changes(row: SyncListItem): string {
  const results = Object.values(row.latestResult);
  const total = (kind: keyof typeof SIGNS): number => results.reduce((all, one) => all + one[kind], 0);
  return (Object.keys(SIGNS) as (keyof typeof SIGNS)[])
    .filter((kind) => total(kind) > 0)
    .map((kind) => `${SIGNS[kind]}${formatNumber(total(kind))}`)
    .join(' ');
}

const interval = ({ frequency }: SyncListItem): string => (frequency ? formatFrequency(frequency) : 'On request');

/** How the last run ended, whatever the schedule says. */
function endOf({ status, recentRuns }: SyncListItem): string {
  if (status !== 'PAUSED') return status;
  const last = recentRuns.at(-1)?.status;
  return last === 'STOPPED' ? 'ERROR' : (last ?? 'NONE');
}

/** Why the last run failed, in the words of the log. */
export function failedReasonOf(row: SyncListItem, integrationName: string): string | undefined {
  const run = failedRunOf(row);
  return run ? failureWords(run, integrationName) : undefined;
}

function LastRun({ row, integrationName }: { row: SyncListItem; integrationName: string }) {
  const now = useNow();
  if (row.status === 'RUNNING')
    return (
      <span className={`stack gap-2 ${classes['two']}`}>
        <StatusBadge look={lookOf(SYNC_LOOK, row.status)} />
        <small className="small soft cut">{progressOf(row, now)}</small>
      </span>
    );
  const error = failedReasonOf(row, integrationName);
  return (
    <span className={`stack gap-2 ${classes['two']}`}>
      <StatusBadge look={lookOf(SYNC_LOOK, endOf(row))} />
      <small className="small soft cut" title={error}>
        {row.status === 'PAUSED' && (
          <>
            <span>{lookOf(SYNC_LOOK, 'PAUSED').label}</span> ·{' '}
          </>
        )}
        {row.lastRun ? <RelativeTime at={row.lastRun.finishedAt ?? row.lastRun.startedAt} /> : 'No run yet'}
        {error && <span className="bad">{`: ${error}`}</span>}
      </small>
    </span>
  );
}

/** The last run of a sync if it failed; also that of a paused sync. */
export const failedRunOf = ({ status, lastRun, recentRuns }: SyncListItem): SyncListItem['lastRun'] =>
  status !== 'RUNNING' && recentRuns.at(-1)?.status === 'STOPPED' ? lastRun : null;

/** "12,474 records, 297/s" of the current run. */
export function progressOf({ changedSoFar, lastRun }: SyncListItem, nowMs: number): string {
  const seconds = lastRun ? Math.max((nowMs - Date.parse(lastRun.startedAt)) / 1000, 1) : 1;
  const count = changedSoFar ?? 0;
  if (count === 0) return 'No records yet';
  return `${formatCount(count, 'record')}, ${formatNumber(Math.max(Math.round(count / seconds), 1))}/s`;
}

const LOOKS = { RUNNING: 'running', SUCCESS: 'success', STOPPED: 'failed', CANCELLED: 'cancelled' } as const;

/** The last runs as bars; the height is the number of changed records. */
export function SyncBars({ row: { recentRuns }, height }: { row: SyncListItem; height?: number }) {
  if (recentRuns.length === 0) return <span className="faint">–</span>;
  const failed = recentRuns.filter(({ status }) => status === 'STOPPED').length;
  return (
    <RunBars
      {...(height === undefined ? {} : { height })}
      label={`Last ${formatCount(recentRuns.length, 'run')}, ${failed === 0 ? 'none failed' : `${failed} failed`}`}
      bars={recentRuns.map((run) => ({ key: run.operationId, look: LOOKS[run.status], size: run.changed }))}
    />
  );
}

/** Name of a sync with its variant, as used in links and requests. */
export const keyOf = ({ name, variant }: SyncListItem): string => (variant === 'base' ? name : `${name}::${variant}`);

export function syncColumns(connection: ConnectionRef & { integrationName: string }): Column<SyncListItem>[] {
  return [
    {
      id: 'name',
      header: 'Sync',
      width: 136,
      text: keyOf,
      cell: (row) => (
        <span className={`stack gap-2 ${classes['two']}`}>
          <span className="row gap-6">
            <code className="name cut">{row.name}</code>
            {row.variant !== 'base' && <Tag>{row.variant}</Tag>}
          </span>
          <small className="small soft cut">{row.models.join(', ')}</small>
        </span>
      ),
    },
    {
      id: 'status',
      header: 'Last run',
      width: 128,
      grow: true,
      text: (row) => row.status,
      cell: (row) => <LastRun row={row} integrationName={connection.integrationName} />,
    },
    { id: 'runs', header: 'Last 20 runs', width: 92, cell: (row) => <SyncBars row={row} /> },
    {
      id: 'frequency',
      header: 'Schedule',
      width: 88,
      text: interval,
      cell: (row) => <span className="soft">{interval(row)}</span>,
    },
    {
      id: 'records',
      header: 'Records',
      width: 80,
      align: 'right',
      text: (row) => sum(row.recordCount),
      cell: (row) => (
        <span className={`stack gap-2 ${classes['two']}`}>
          <span>{formatNumber(sum(row.recordCount))}</span>
          <small className="small soft cut">{changes(row)}</small>
        </span>
      ),
    },
    {
      id: 'next',
      header: 'Next',
      width: 64,
      align: 'right',
      text: (row) => (row.scheduleStatus === 'STARTED' ? row.nextRunAt : null),
      cell: (row) => <NextRun row={row} />,
    },
    {
      id: 'menu',
      header: '',
      isAtEnd: true,
      width: 28,
      align: 'right',
      cell: (row, isActive) => <SyncMenu row={row} connection={connection} isActive={isActive} />,
    },
  ];
}
