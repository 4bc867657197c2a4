import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { MessageListItem, SyncListItem } from '../../api/contract.ts';
import { operationQueryOptions } from '../../api/logs/logs-queries.ts';
import { runMessagesQueryOptions } from '../../api/playground/playground-queries.ts';
import { modelsQueryOptions, useRecords } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { formatClock, formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './WelcomeStep.module.css';

const POLL_EVERY_MS = 500;
const ENDED = ['success', 'failed', 'timeout', 'cancelled'];
/** Rows that fit beside the messages. */
const SHOWN_RECORDS = 6;

interface SyncResultProps {
  connection: ConnectionRef;
  operationId: string;
  sync: SyncListItem | undefined;
  onDone: () => void;
}

/** A run in progress: its messages, and the records that it stores. */
export function SyncResult({ connection, operationId, sync, onDone }: SyncResultProps) {
  const env = useEnv();
  const operation = useQuery({
    ...operationQueryOptions(env, operationId),
    refetchInterval: ({ state }) => (ENDED.includes(state.data?.state ?? '') ? false : POLL_EVERY_MS),
  });
  const isOver = ENDED.includes(operation.data?.state ?? '');
  const isSuccess = operation.data?.state === 'success';
  const messages = useQuery({
    ...runMessagesQueryOptions(env, operationId),
    refetchInterval: isOver ? false : POLL_EVERY_MS,
  });
  // The last messages are written right after the end.
  const { refetch } = messages;
  useEffect(() => {
    if (isOver) void refetch();
  }, [isOver, refetch]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the run.
  useEffect(() => {
    if (isSuccess) onDone();
  }, [isSuccess]);
  const row = operation.data;
  const changed = sync?.recentRuns.find((run) => run.operationId === operationId)?.changed ?? sync?.changedSoFar;
  if (operation.error && !row) return <ErrorPanel error={operation.error} onRetry={() => void operation.refetch()} />;
  return (
    <div className={`grid ${classes['beside']}`}>
      <section className={classes['panel']} aria-label="Run">
        <header className="row wrap small" aria-live="polite">
          <h2>Run</h2>
          {row && <StatusBadge look={lookOf(OPERATION_LOOK, row.state)} />}
          {changed != null && <span className="soft">{formatCount(changed, 'record')}</span>}
          {row?.durationMs != null && <span className="soft">{formatDuration(row.durationMs)}</span>}
          <Link to={paths.operation(env, operationId)}>Open log</Link>
        </header>
        {row?.error && <ErrorPanel error={{ message: row.error.message, code: row.error.type ?? row.state }} />}
        <Messages rows={messages.data?.data ?? []} isOver={isOver} />
      </section>
      <Stored connection={connection} model={sync?.models[0]} isOver={isOver} />
    </div>
  );
}

function Messages({ rows, isOver }: { rows: MessageListItem[]; isOver: boolean }) {
  if (rows.length === 0)
    return (
      <p className="soft">
        {isOver ? 'It wrote no message that the log level of this environment keeps.' : 'The run is in progress.'}
      </p>
    );
  return (
    <div
      className="scroll frame sunken"
      style={{ maxHeight: 240 }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
      tabIndex={0}
      role="region"
      aria-label="Messages"
    >
      <ul style={{ padding: '8px 12px' }}>
        {rows.map((row) => (
          <li className="flex gap-12 small" key={row.id} data-level={row.level}>
            <time className="mono rigid faint numbers" dateTime={row.createdAt}>
              {formatClock(row.createdAt, Date.now(), false)}
            </time>
            <code className="breaks grow">
              {row.request ? `${row.request.method} ${row.request.url}` : row.message}
            </code>
            {row.response && <span>{row.response.code}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface StoredProps {
  connection: ConnectionRef;
  model: string | undefined;
  isOver: boolean;
}

/** The first records of the model, and their number. */
function Stored({ connection, model, isOver }: StoredProps) {
  const env = useEnv();
  const models = useQuery({
    ...modelsQueryOptions(env, connection),
    refetchInterval: isOver ? false : POLL_EVERY_MS,
  }).data;
  const shown = model ?? models?.[0]?.model;
  const count = models?.find((one) => one.model === shown)?.count ?? 0;
  return (
    <section className={classes['panel']} aria-label="Records">
      <header className="row wrap small" aria-live="polite">
        <h2>Records</h2>
        <span className="soft">{formatCount(count, 'record')}</span>
        {shown !== undefined && count > 0 && <Link to={paths.records(env, connection, shown, 'base')}>Open all</Link>}
      </header>
      {shown !== undefined && count > 0 ? (
        <RecordRows key={String(isOver)} connection={connection} model={shown} />
      ) : (
        <p className="soft">They appear here as they are stored.</p>
      )}
    </section>
  );
}

function RecordRows({ connection, model }: { connection: ConnectionRef; model: string }) {
  const records = useRecords(connection, { model, variant: 'base', sort: 'id' });
  const rows = Array.from({ length: Math.min(SHOWN_RECORDS, records.total ?? 0) }, (_, index) => records.rowAt(index));
  const members = Object.entries(rows[0]?.preview ?? {});
  // Texts are more informative than numbers and booleans.
  const names = members
    .toSorted(([, a], [, b]) => Number(typeof b === 'string') - Number(typeof a === 'string'))
    .slice(0, 2)
    .map(([name]) => name);
  return (
    <PlainTable className={classes['records']} label={`Records of ${model}`} head={['ID', ...names]}>
      {rows.map(
        (row) =>
          row && (
            <tr key={row.id}>
              <th className="cut" scope="row">
                <code>{row.id}</code>
              </th>
              {names.map((name) => (
                <td className="cut" key={name}>
                  {String(row.preview[name] ?? '–')}
                </td>
              ))}
            </tr>
          ),
      )}
    </PlainTable>
  );
}
