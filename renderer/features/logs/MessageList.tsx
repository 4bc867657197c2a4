import { CloseButton, SegmentedControl } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { MessageListItem, ShownMessageLevel } from '../../api/contract.ts';
import { type MessageQuery, useMessages } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { formatClock } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import classes from './OperationPanel.module.css';

type View = 'all' | 'mine' | 'http' | 'warn';

const VIEWS: Record<View, { label: string; filter: MessageQuery }> = {
  all: { label: 'All', filter: {} },
  mine: { label: 'Mine', filter: { sources: 'user' } },
  http: { label: 'HTTP', filter: { types: 'http' } },
  warn: { label: 'warn +', filter: { levels: 'warn,error' } },
};

function Level({ row }: { row: MessageListItem }) {
  return (
    <span className={`soft ${classes['level']}`} data-level={row.level}>
      {row.level}
    </span>
  );
}

const isFailure = (row: MessageListItem): boolean => (row.response?.code ?? 0) >= 400;

const COLUMNS: Column<MessageListItem>[] = [
  {
    id: 'time',
    header: 'Time',
    width: 88,
    cell: (row) => <span className="mono soft">{formatClock(row.createdAt, Date.now(), false)}</span>,
  },
  {
    id: 'type',
    header: 'Type',
    width: 60,
    cell: (row) => <span className="soft">{row.type === 'http' ? 'HTTP' : 'Message'}</span>,
  },
  { id: 'level', header: 'Level', width: 40, cell: (row) => <Level row={row} /> },
  {
    id: 'text',
    header: 'Message',
    width: 200,
    grow: true,
    cell: (row) =>
      row.request ? (
        <code className="cut">{`${row.request.method} ${row.request.url}`}</code>
      ) : (
        <span className="cut">{row.message}</span>
      ),
  },
  {
    id: 'code',
    header: '',
    width: 28,
    align: 'right',
    cell: (row) =>
      row.response ? (
        <span className={`mono ${classes['level']}`} data-level={isFailure(row) ? 'error' : 'info'}>
          {row.response.code}
        </span>
      ) : null,
  },
];

/** Every message of an operation, growing while it runs. */
export function MessageList({ operationId, recordedLevel }: { operationId: string; recordedLevel: ShownMessageLevel }) {
  const env = useEnv();
  const [view, setView] = useState<View>('all');
  const [open, setOpen] = useState<MessageListItem>();
  const rows = useMessages(operationId, VIEWS[view].filter);
  const tail = useTail(rows.total);
  return (
    <section className={classes['messages']} aria-label="Messages">
      <div className={classes['head']}>
        <h2>
          Messages <span className="faint">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>
        </h2>
        <SegmentedControl
          size="xs"
          aria-label="Which messages"
          data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))}
          value={view}
          onChange={(next) => setView(next as View)}
        />
      </div>
      {(recordedLevel === 'warn' || recordedLevel === 'error') && (
        <p className={classes['hint']}>
          Messages of functions below level {recordedLevel} are not recorded (“Log level of functions” in the{' '}
          <Link to={paths.settings(env, 'general')}>environment settings</Link>).
        </p>
      )}
      <DataTable
        label="Messages"
        columns={COLUMNS}
        source={rows}
        growsAtEnd
        {...tail}
        rowHeight={28}
        rowKey={(row) => row.id}
        onOpen={setOpen}
        openKey={open?.id}
        onClose={() => setOpen(undefined)}
        describeError={describeError}
        empty={
          <EmptyState
            title="No messages"
            text={view === 'all' ? 'Nothing was recorded.' : 'None of this kind was recorded.'}
          />
        }
      />
      {open && <MessageDetail message={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

/** Counts the messages that came below what is in sight. */
function useTail(total: number | undefined) {
  const [seen, setSeen] = useState<number>();
  const latest = useRef(total);
  latest.current = total;
  const onTopChange = useCallback((isAtEnd: boolean) => setSeen(isAtEnd ? undefined : latest.current), []);
  const waiting = (total ?? 0) - (seen ?? total ?? 0);
  return { onTopChange, heldText: waiting > 0 ? `${formatNumber(waiting)} new` : undefined };
}

/** The parts of a message that its row has no room for. */
function partsOf(message: MessageListItem): Record<string, unknown> {
  const { error, request, response, retry, meta, durationMs, context, source } = message;
  const parts = { error, request, response, retry, meta, durationMs, context, source };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null));
}

function MessageDetail({ message, onClose }: { message: MessageListItem; onClose: () => void }) {
  return (
    <section className={classes['detail']} aria-label="Message">
      <div className={classes['detailHead']}>
        <p>{message.message}</p>
        <CloseButton size={24} aria-label="Close message" onClick={onClose} />
      </div>
      <JsonTree value={partsOf(message)} label="message" maxHeight={240} />
    </section>
  );
}
