import { CloseButton, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { type MessageListItem, plainWords, type ShownMessageLevel } from '../../api/contract.ts';
import { type MessageQuery, useMessages } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { goToFirstRow } from '../../components/form/leave-field.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useCommands } from '../../components/use-commands.ts';
import { useListFocus } from '../../components/use-list-focus.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { clockWidth, formatClock } from '../../lib/format-time.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import classes from './OperationPanel.module.css';
import { pathOfUrl } from './operation-report.ts';

const SEARCH_AFTER_MS = 200;

type View = 'all' | 'mine' | 'http' | 'warn';

const VIEWS: Record<View, { label: string; filter: MessageQuery }> = {
  all: { label: 'All', filter: {} },
  mine: { label: 'Mine', filter: { sources: 'user' } },
  http: { label: 'HTTP', filter: { types: 'http' } },
  warn: { label: 'warn +', filter: { levels: 'warn,error' } },
};

function Level({ row }: { row: MessageListItem }) {
  return (
    <span className="soft" data-level={row.level}>
      {row.level}
    </span>
  );
}

const isFailure = (row: MessageListItem): boolean => (row.response?.code ?? 0) >= 400;

const columnsOf = (words: readonly string[], isUtc: boolean): Column<MessageListItem>[] => [
  {
    id: 'time',
    header: 'Time',
    width: clockWidth(88),
    cell: (row) => <span className="mono soft">{formatClock(row.createdAt, Date.now(), false, isUtc)}</span>,
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
        <code className="cut" title={row.request.url}>
          <Marked text={`${row.request.method} ${pathOfUrl(row.request.url)}`} words={words} />
        </code>
      ) : (
        <span className="cut">
          <Marked text={row.message} words={words} />
        </span>
      ),
  },
  {
    id: 'code',
    header: 'Status',
    width: 44,
    align: 'right',
    cell: (row) =>
      row.response ? (
        <span className="mono" data-level={isFailure(row) ? 'error' : 'info'}>
          {row.response.code}
        </span>
      ) : null,
  },
];

interface MessageListProps {
  operationId: string;
  recordedLevel: ShownMessageLevel;
  isUtc: boolean;
}

/** Every message of an operation, appended while it runs; matches of the search are highlighted. */
export function MessageList({ operationId, recordedLevel, isUtc }: MessageListProps) {
  const env = useEnv();
  const [view, setView] = useState<View>('all');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), SEARCH_AFTER_MS);
  const [open, setOpen] = useState<MessageListItem>();
  const columns = useMemo(() => columnsOf(plainWords(search), isUtc), [search, isUtc]);
  const rows = useMessages(operationId, { ...VIEWS[view].filter, ...(search !== '' && { search }) });
  const tail = useTail(rows.total);
  return (
    <section className={`stack ${classes['messages']}`} style={{ flex: 1, minHeight: 240 }} aria-label="Messages">
      <div
        className="row wrap rigid"
        style={{ padding: '10px var(--hp-gutter)', border: 'solid var(--hp-border)', borderWidth: '1px 0' }}
      >
        <h2 style={{ flex: 1 }}>
          Messages <span className="faint">{rows.total === undefined ? '' : formatNumber(rows.total)}</span>
        </h2>
        <TextInput
          size="xs"
          maw={220}
          flex="1 1 120px"
          aria-label="Search messages"
          placeholder="Search messages"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if ((event.key === 'Enter' || event.key === 'ArrowDown') && goToFirstRow(event.currentTarget))
              event.preventDefault();
            if (event.key !== 'Escape' || text === '') return;
            event.stopPropagation();
            event.preventDefault();
            setText('');
          }}
        />
        <SegmentedControl
          size="xs"
          aria-label="Which messages"
          data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))}
          value={view}
          onChange={(next) => setView(next as View)}
        />
      </div>
      {(recordedLevel === 'warn' || recordedLevel === 'error') && (
        <p className="faint small line-below" style={{ padding: '6px var(--hp-gutter)' }}>
          Messages of functions below level {recordedLevel} are not recorded (“Log level of functions” in the{' '}
          <Link to={paths.settings(env, 'log-level')}>environment settings</Link>).
        </p>
      )}
      <DataTable
        label="Messages"
        columns={columns}
        source={rows}
        growsAtEnd
        {...tail}
        rowHeight={28}
        rowKey={(row) => row.id}
        onOpen={setOpen}
        openKey={open?.id}
        onClose={() => setOpen(undefined)}
        empty={
          <EmptyState
            title="No messages"
            text={
              search !== ''
                ? `No message contains “${search}”.`
                : view === 'all'
                  ? 'Nothing was recorded.'
                  : 'None of this kind was recorded.'
            }
          />
        }
      />
      {open && <MessageDetail message={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

/** The text with the words highlighted, ignoring case. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'gi'));
  // `split` puts the matches at odd positions.
  let at = 0;
  return parts.map((part, index) => {
    at += part.length;
    return index % 2 === 1 ? <mark key={at}>{part}</mark> : part;
  });
}

/** The number of messages below the visible part. */
function useTail(total: number | undefined) {
  const [seen, setSeen] = useState<number>();
  const latest = useRef(total);
  latest.current = total;
  const onTopChange = useCallback((isAtEnd: boolean) => setSeen(isAtEnd ? undefined : latest.current), []);
  const waiting = (total ?? 0) - (seen ?? total ?? 0);
  return { onTopChange, heldText: waiting > 0 ? `${formatNumber(waiting)} new` : undefined };
}

/** The parts of a message that do not fit in its row. */
function partsOf(message: MessageListItem): Record<string, unknown> {
  const { error, request, response, retry, meta, persistResults, durationMs, context, source } = message;
  const parts = { error, request, response, retry, meta, persistResults, durationMs, context, source };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null));
}

function MessageDetail({ message, onClose }: { message: MessageListItem; onClose: () => void }) {
  const part = useRef<HTMLElement>(null);
  useListFocus(part);
  useCommands([{ ...KEY_MAP.close, within: () => part.current, run: onClose }]);
  return (
    <section ref={part} className={`rigid scroll sunken ${classes['detail']}`} aria-label="Message">
      <div className="row at-top pb-8">
        <p className="breaks" style={{ flex: 1 }}>
          {message.message}
        </p>
        <CloseButton size={24} aria-label="Close message" onClick={onClose} />
      </div>
      <JsonViewer json={JSON.stringify(partsOf(message))} label="message" height={240} isPlain />
    </section>
  );
}
