import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { commandRunsQueryOptions, useStopCommandRun } from '../../api/agents/command-runs.ts';
import type { CommandRunRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

/** Commands that `homeport run` started, as long as they run. */
export function CommandRuns() {
  const env = useEnv();
  return (
    <DataTable
      label="Commands"
      columns={COLUMNS}
      source={wholeRows(useQuery(commandRunsQueryOptions(env)))}
      rowKey={({ id }) => id}
      rowHeight={48}
      empty={
        <EmptyState
          title="No command runs"
          text="homeport run -- <command> gives a command placeholders instead of credentials. It is listed here until it ends."
        />
      }
    />
  );
}

const COLUMNS: Column<CommandRunRow>[] = [
  {
    id: 'command',
    header: 'Command',
    width: 220,
    grow: true,
    text: ({ command }) => command,
    cell: ({ command, sessionId }) => (
      <span className="stack">
        <code className="cut">{command}</code>
        {sessionId !== null && <span className="soft cut">With the connections of a session</span>}
      </span>
    ),
  },
  {
    id: 'connections',
    header: 'Connections',
    width: 200,
    cell: ({ connections }) => (
      <span className="cut">
        {connections.map(({ connectionId, integrationKey }) => `${integrationKey}: ${connectionId}`).join(', ') ||
          'None'}
      </span>
    ),
  },
  { id: 'started', header: 'Since', width: 110, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  {
    id: 'requests',
    header: 'Requests',
    width: 90,
    align: 'right',
    cell: ({ requests }) => formatNumber(requests),
  },
  { id: 'refusals', header: 'Refused', width: 80, align: 'right', cell: ({ refusals }) => formatNumber(refusals) },
  { id: 'log', header: 'Log', width: 80, cell: ({ operationId }) => <Log operationId={operationId} /> },
  {
    id: 'end',
    header: '',
    isAtEnd: true,
    width: 80,
    align: 'right',
    cell: (row, isActive) => <End run={row} isActive={isActive} />,
  },
];

function Log({ operationId }: { operationId: string }) {
  const env = useEnv();
  return <Link to={paths.operation(env, operationId)}>Open</Link>;
}

function End({ run, isActive }: { run: CommandRunRow; isActive: boolean }) {
  const stop = useStopCommandRun();
  const { ask, dialog } = useConfirm();
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        data-tone="bad"
        tabIndex={isActive ? 0 : -1}
        onClick={() =>
          ask({
            title: 'End this run?',
            text: 'The command gets no credentials any more. It goes on by itself until it ends.',
            action: 'End run',
            run: () => stop.mutateAsync(run.id),
          })
        }
      >
        End
      </Button>
      {dialog}
    </>
  );
}
