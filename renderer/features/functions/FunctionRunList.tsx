import type { FunctionDetail, OperationListItem } from '../../api/contract.ts';
import { RUN_TYPES } from '../../api/functions/functions-queries.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { useLiveOperations } from '../../api/logs/use-live-operations.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportMenu } from '../../components/list/ExportMenu.tsx';
import { ListFilter } from '../../components/list/ListFilters.tsx';
import { ListSelection } from '../../components/list/ListSelection.tsx';
import { ListTable } from '../../components/list/ListTable.tsx';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { useList, useSelection } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import type { Column } from '../../components/table/columns.ts';
import { useColumnLayout } from '../../components/table/use-column-layout.ts';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { usePreferences } from '../../components/use-preferences.ts';
import { formatBytes, formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { DENSITY_HEIGHTS } from '../../lib/preferences.ts';
import { OPERATION_LOOK, operationLook, triggerName } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';
import { RunStats } from './RunStats.tsx';

function Measured({ text }: { text: string | null }) {
  return text === null ? <span className="faint">–</span> : text;
}

const counted = (
  id: string,
  header: string,
  countOf: (row: OperationListItem) => number | null,
): Column<OperationListItem> => ({
  id,
  header,
  width: 52,
  align: 'right',
  text: countOf,
  cell: (row) => {
    const count = countOf(row);
    return count ? formatNumber(count) : <span className="faint">{count === null ? '–' : '0'}</span>;
  },
});

const COLUMNS: Column<OperationListItem>[] = [
  {
    id: 'start',
    header: 'Start',
    width: 68,
    sort: 'time',
    text: (row) => row.startedAt ?? row.createdAt,
    cell: (row) => <RelativeTime at={row.startedAt ?? row.createdAt} />,
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 112,
    grow: true,
    text: (row) => row.connectionName,
    cell: (row) => <span className="name cut">{row.endUserName ?? row.connectionName ?? '–'}</span>,
  },
  {
    id: 'variant',
    header: 'Variant',
    width: 64,
    text: (row) => row.variant,
    cell: (row) => <span className="soft cut">{row.variant ?? '–'}</span>,
  },
  {
    id: 'who',
    header: 'Started by',
    width: 72,
    text: (row) => row.trigger,
    cell: (row) => <span className="soft">{row.trigger === null ? '–' : triggerName(row.trigger)}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    width: 84,
    text: (row) => row.state,
    filter: (row) => ['states', row.state],
    cell: (row) => <StatusBadge look={operationLook(row)} />,
  },
  {
    id: 'error',
    header: 'Error',
    width: 80,
    grow: true,
    text: (row) => row.error?.message ?? null,
    cell: (row) => (
      <span className="soft cut" title={row.error?.message}>
        {row.error?.message ?? ''}
      </span>
    ),
  },
  counted('added', 'Added', (row) => row.recordsAdded),
  counted('updated', 'Updated', (row) => row.recordsUpdated),
  counted('deleted', 'Deleted', (row) => row.recordsDeleted),
  {
    id: 'cpu',
    header: 'CPU',
    width: 52,
    align: 'right',
    text: (row) => row.cpuMs,
    cell: (row) => <Measured text={row.cpuMs === null ? null : formatDuration(row.cpuMs)} />,
  },
  {
    id: 'memory',
    header: 'Memory',
    width: 60,
    align: 'right',
    text: (row) => row.memoryBytes,
    cell: (row) => <Measured text={row.memoryBytes === null ? null : formatBytes(row.memoryBytes)} />,
  },
  {
    id: 'took',
    header: 'Took',
    width: 52,
    align: 'right',
    sort: 'duration',
    text: (row) => row.durationMs,
    cell: (row) => <OperationDuration operation={row} />,
  },
];

/** Only syncs have variants and records. */
const OTHER_COLUMNS = COLUMNS.filter(({ id }) => !['variant', 'added', 'updated', 'deleted'].includes(id));

const STATE_OPTIONS = Object.entries(OPERATION_LOOK).map(([value, look]) => ({ value, label: look.label }));
const rowKey = (row: { id: string }): string => row.id;

/** Every run in the log; new ones appear as they start. */
export function FunctionRunList({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { density } = usePreferences();
  const list = useList({ filters: ['states'], sort: '-time' });
  const filter = {
    ...list.filters,
    integrations: data.integrationKey,
    syncs: data.name,
    types: RUN_TYPES[data.type],
    sort: list.sort,
  };
  const rows = useLiveOperations(filter, true);
  const isSync = data.type === 'sync';
  const columns = useColumnLayout(isSync ? 'sync-runs' : 'function-runs', isSync ? COLUMNS : OTHER_COLUMNS);
  const selection = useSelection<OperationListItem>(list);
  return (
    <section className={`stack fills ${classes['allRuns']}`} aria-label="Runs">
      <div className={`row gap-0 between rigid line-below ${classes['runsHead']}`}>
        <h2>Runs, 7 days</h2>
        <span className="faint">{rows.total === undefined ? '' : `${formatCount(rows.total, 'run')} kept`}</span>
      </div>
      <RunStats data={data} />
      <Toolbar
        isBelowTabs
        end={
          <>
            <ColumnsMenu layout={columns} rowHeight={DENSITY_HEIGHTS[density]} />
            <ExportMenu
              fileName={`runs-${data.name}`}
              read={(options) =>
                exportList({ list: 'GET /api/v1/logs/operations', query: { env, ...filter }, ...options })
              }
            />
          </>
        }
      >
        <ListFilter list={list} name="states" label="Result" options={STATE_OPTIONS} />
      </Toolbar>
      <ListTable
        list={list}
        label="Runs"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowId={rowKey}
        rowPath={(row) => paths.operation(env, row.id)}
        selection={selection}
        nothingFits="No run has this result."
        nothing={<EmptyState title="No runs yet" text="Each run appears here as it starts." />}
      />
      <ListSelection selection={selection} rows={rows} columns={columns} rowKey={rowKey} />
    </section>
  );
}
