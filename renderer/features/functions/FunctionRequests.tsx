import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { FunctionDetail, MessageListItem } from '../../api/contract.ts';
import { functionRunsQueryOptions, runRequestsQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { paths, windowHref } from '../../lib/paths.ts';

const RUNS = 10;

type RequestRow = MessageListItem & { operationId: string };

/** "GET /v1/users?page=2"; the host is shown on hover. */
function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.pathname}${parsed.search}` : url;
}

const COLUMNS: Column<RequestRow>[] = [
  {
    id: 'request',
    header: 'Request',
    width: 280,
    grow: true,
    cell: (row) => (
      <code className="cut" title={row.request?.url}>
        {row.request ? `${row.request.method} ${pathOf(row.request.url)}` : row.message}
      </code>
    ),
  },
  {
    id: 'answer',
    header: 'Response',
    width: 72,
    align: 'right',
    cell: ({ response }) => (
      <span style={{ color: (response?.code ?? 500) >= 400 ? 'var(--hp-bad)' : undefined }}>
        {response?.code ?? 'None'}
      </span>
    ),
  },
  {
    id: 'try',
    header: 'Attempt',
    width: 64,
    align: 'right',
    cell: ({ retry }) => (retry ? `${retry.attempt} of ${retry.max}` : ''),
  },
  { id: 'took', header: 'Took', width: 72, align: 'right', cell: (row) => formatDuration(row.durationMs) },
  { id: 'when', header: 'When', width: 88, align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

/** The requests of the last ten runs to the provider, newest first. */
export function FunctionRequests({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const navigate = useNavigate();
  const runs = useQuery(functionRunsQueryOptions(env, data));
  const newest = runs.data?.data.slice(0, RUNS) ?? [];
  const requests = useQueries({ queries: newest.map(({ id }) => runRequestsQueryOptions(env, id)) });
  const isComplete = runs.data !== undefined && requests.every((one) => !one.isPending);
  const rows = requests
    .flatMap((one, index) =>
      (one.data?.data ?? []).map((message): RequestRow => ({ ...message, operationId: newest[index]?.id ?? '' })),
    )
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <DataTable
      label="Requests"
      columns={COLUMNS}
      source={wholeRows({
        data: isComplete ? rows : undefined,
        error: runs.error ?? requests.find(({ error }) => error)?.error ?? null,
        refetch: () => runs.refetch(),
      })}
      rowKey={(row) => `${row.operationId}/${row.id}`}
      onOpen={(row) => void navigate(paths.operation(env, row.operationId))}
      rowHref={(row) => windowHref(paths.operation(env, row.operationId))}
      empty={
        <EmptyState
          title="No requests"
          text="The requests of the last ten runs appear here, as long as their logs are kept."
        />
      }
    />
  );
}
