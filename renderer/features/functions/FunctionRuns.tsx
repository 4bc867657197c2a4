import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { FunctionDetail, OperationListItem } from '../../api/contract.ts';
import { functionRunsQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatTotal } from '../../lib/format-number.ts';
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
  { id: 'took', header: 'Took', width: 56, align: 'right', cell: (row) => <OperationDuration operation={row} /> },
];

/** The last runs, beside the code. */
export function FunctionRuns({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const runs = useQuery(functionRunsQueryOptions(env, data));
  return (
    <section className={`stack rigid ${classes['runs']}`} aria-label="Runs">
      <div className={`row gap-0 between rigid line-below ${classes['runsHead']}`}>
        <h2>Runs, 7 days</h2>
        <span className="faint">{runs.data ? `${formatTotal(runs.data, 'run')} kept` : ''}</span>
      </div>
      <RunStats data={data} />
      <DataTable
        label="Runs"
        columns={COLUMNS}
        source={wholeRows({ ...runs, data: runs.data?.data })}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(paths.operation(env, row.id))}
        rowHref={(row) => windowHref(paths.operation(env, row.id))}
        empty={<EmptyState title="No runs yet" text="Each run appears here as it starts." />}
      />
    </section>
  );
}
