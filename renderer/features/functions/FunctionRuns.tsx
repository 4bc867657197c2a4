import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionDetail, OperationListItem } from '../../api/contract.ts';
import { functionRunsQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';
import { RunStats } from './RunStats.tsx';

const COLUMNS: Column<OperationListItem>[] = [
  {
    id: 'start',
    header: 'Start',
    width: 56,
    cell: (row) => (
      <span className="soft">
        <RelativeTime at={row.startedAt ?? row.createdAt} bare />
      </span>
    ),
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 88,
    grow: true,
    cell: (row) => <span className="cut">{row.endUserName ?? row.connectionName ?? '–'}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    width: 84,
    cell: (row) => <StatusBadge look={lookOf(OPERATION_LOOK, row.state)} />,
  },
  { id: 'took', header: 'Took', width: 56, align: 'right', cell: (row) => formatDuration(row.durationMs) },
];

const WIDE_COLUMNS: Column<OperationListItem>[] = [
  {
    id: 'start',
    header: 'Start',
    width: 88,
    cell: (row) => <RelativeTime at={row.startedAt ?? row.createdAt} />,
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 160,
    grow: true,
    cell: (row) => <span className="name cut">{row.endUserName ?? row.connectionName ?? '–'}</span>,
  },
  { id: 'who', header: 'Started by', width: 96, cell: (row) => <span className="soft">{row.trigger ?? '–'}</span> },
  {
    id: 'result',
    header: 'Result',
    width: 92,
    cell: (row) => <StatusBadge look={lookOf(OPERATION_LOOK, row.state)} />,
  },
  {
    id: 'error',
    header: 'Error',
    width: 160,
    grow: true,
    cell: (row) => (
      <span className="soft cut" title={row.error?.message}>
        {row.error?.message ?? ''}
      </span>
    ),
  },
  { id: 'took', header: 'Took', width: 72, align: 'right', cell: (row) => formatDuration(row.durationMs) },
];

/** The last runs: beside the code, or `isWide` as a tab of their own. */
export function FunctionRuns({ data, isWide = false }: { data: FunctionDetail; isWide?: boolean }) {
  const env = useEnv();
  const navigate = useNavigate();
  const runs = useQuery(functionRunsQueryOptions(env, data));
  return (
    <section className={classes[isWide ? 'allRuns' : 'runs']} aria-label="Runs">
      <div className={classes['runsHead']}>
        <h2>Runs, 7 days</h2>
        <span className="faint">{runs.data ? `${formatCount(runs.data.total, 'run')} kept` : ''}</span>
      </div>
      <RunStats data={data} />
      <DataTable
        label="Runs"
        columns={isWide ? WIDE_COLUMNS : COLUMNS}
        source={wholeRows({ ...runs, data: runs.data?.data })}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(paths.operation(env, row.id))}
        rowHref={(row) => windowHref(paths.operation(env, row.id))}
        describeError={describeError}
        empty={<EmptyState title="No runs yet" text="Each run appears here as it starts." />}
      />
    </section>
  );
}
