import { Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import type { FunctionListItem } from '../../api/contract.ts';
import { chosenEditor, type EditorFile, editorLink } from '../../lib/editors.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatDuration, formatFrequency } from '../../lib/format-time.ts';
import { FUNCTION_LOOK, lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import { CodeText } from '../code/CodeText.tsx';
import { ProviderLogo } from '../connection/ProviderLogo.tsx';
import { notifyError } from '../notice/notify.ts';
import { StatusBadge } from '../StatusBadge.tsx';
import type { Column } from '../table/columns.ts';
import { Tag } from '../tag/Tag.tsx';
import { RelativeTime } from '../time/RelativeTime.tsx';

const NOT_IN_INDEX =
  'It runs here, because the folder decides. index.ts does not import it, so "homeport deploy" leaves it out.';
const SOURCES = { workspace: 'Folder', repo: 'Repository', standalone: 'API' };

function Status({ row }: { row: FunctionListItem }) {
  if (row.status === 'ok' && !row.isEnabled)
    return <StatusBadge look={{ label: 'Off', tone: 'mute', icon: 'pause' }} />;
  const look = lookOf(FUNCTION_LOOK, row.status);
  const line = row.problem?.line;
  const badge = <StatusBadge look={line ? { ...look, label: `${look.label}, line ${line}` } : look} />;
  if (!row.problem) return badge;
  return (
    // Without room for a few letters of the message, it wraps out of sight.
    <span
      className="row"
      style={{ flexWrap: 'wrap', height: '1.25rem', overflow: 'hidden' }}
      title={row.problem.message}
    >
      <span style={{ display: 'inline-flex', flex: 'none', alignItems: 'center', height: '1.25rem' }}>{badge}</span>
      <span className="faint cut" style={{ flex: '1 1 48px' }}>
        <CodeText text={row.problem.message} />
      </span>
    </span>
  );
}

/** In percent; above 99 rounded down to one decimal, so that 100 means that no run failed. */
function successOf({ week }: FunctionListItem): number | undefined {
  if (!week) return undefined;
  const percent = (100 * week.succeeded) / week.runs;
  return percent > 99 ? Math.floor(percent * 10) / 10 : Math.round(percent);
}

function Success({ row }: { row: FunctionListItem }) {
  const percent = successOf(row);
  if (percent === undefined || !row.week) return <span className="faint">–</span>;
  const { runs, succeeded } = row.week;
  return <span title={`${formatNumber(succeeded)} of ${formatCount(runs, 'run')}`}>{formatNumber(percent)} %</span>;
}

/** The columns of a table of functions. */
export function functionColumns(
  useOpener: UseEditorOpener,
  IntegrationName: (props: { integrationKey: string }) => string,
): Column<FunctionListItem>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 160,
      grow: true,
      sort: 'name',
      text: (row) => row.name,
      cell: (row) => (
        <span className="row">
          <code className="name cut">{row.name}</code>
          {!row.isInIndex && <Tag title={NOT_IN_INDEX}>not in index.ts</Tag>}
        </span>
      ),
    },
    {
      id: 'type',
      header: 'Type',
      width: 68,
      sort: 'type',
      text: (row) => row.type,
      filter: (row) => ['type', row.type],
      cell: (row) => <Tag>{row.type}</Tag>,
    },
    {
      id: 'integration',
      header: 'Integration',
      width: 120,
      sort: 'integration',
      text: (row) => row.integrationKey,
      filter: (row) => ['integrations', row.integrationKey],
      cell: (row) => (
        <span className="row">
          <ProviderLogo provider={row.provider} name={row.integrationKey} />
          <span className="cut">
            <IntegrationName integrationKey={row.integrationKey} />
          </span>
        </span>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      width: 172,
      isEarly: true,
      grow: true,
      sort: 'status',
      text: (row) => (row.problem ? `${row.status}: ${row.problem.message}` : row.status),
      filter: (row) => ['status', row.status],
      cell: (row) => <Status row={row} />,
    },
    {
      id: 'frequency',
      header: 'Schedule',
      width: 96,
      text: (row) => row.frequency,
      cell: (row) => (
        <span className="soft cut">
          {row.frequency ? formatFrequency(row.frequency) : row.type === 'sync' ? 'On request' : ''}
        </span>
      ),
    },
    {
      id: 'models',
      header: 'Models',
      width: 120,
      text: (row) => row.models.join(' '),
      startsHidden: true,
      cell: (row) => <span className="soft cut">{row.models.join(', ')}</span>,
    },
    {
      id: 'lastRun',
      header: 'Last run',
      width: 124,
      sort: 'lastRun',
      text: (row) => row.lastRun?.at ?? null,
      cell: (row) =>
        row.lastRun ? (
          <span className="row">
            <StatusBadge look={lookOf(OPERATION_LOOK, row.lastRun.state)} />
            <span className="faint">
              <RelativeTime at={row.lastRun.at} bare />
            </span>
          </span>
        ) : (
          <span className="faint">Never</span>
        ),
    },
    {
      id: 'success',
      header: 'Success, 7 d',
      width: 76,
      align: 'right',
      sort: 'success',
      text: (row) => successOf(row) ?? null,
      cell: (row) => <Success row={row} />,
    },
    {
      id: 'p95',
      header: 'p95',
      width: 48,
      align: 'right',
      sort: 'p95',
      text: (row) => row.week?.p95Ms ?? null,
      cell: (row) =>
        row.week?.p95Ms === null || row.week === null ? (
          <span className="faint">–</span>
        ) : (
          formatDuration(row.week.p95Ms)
        ),
    },
    {
      id: 'source',
      header: 'Source',
      width: 80,
      startsHidden: true,
      text: (row) => SOURCES[row.origin],
      cell: (row) => <span className="soft">{SOURCES[row.origin]}</span>,
    },
    {
      id: 'file',
      header: 'File',
      width: 200,
      startsHidden: true,
      text: (row) => row.file,
      cell: ({ file, path, problem, status }) =>
        path === null || status === 'file_missing' ? (
          <code className="soft cut">{file}</code>
        ) : (
          <FileLink name={file} file={{ path, line: problem?.line ?? null }} useOpener={useOpener} />
        ),
    },
    {
      id: 'version',
      header: 'Version',
      width: 52,
      startsHidden: true,
      text: (row) => row.version,
      align: 'right',
      cell: (row) => row.version ?? <span className="faint">None</span>,
    },
  ];
}

/** Opens a file in the desktop app; undefined in a browser, where the link is an address of the editor. */
type UseEditorOpener = () => ((file: EditorFile) => Promise<void>) | undefined;

interface FileLinkProps {
  file: EditorFile;
  /** Path below the functions folder. */
  name: string;
  useOpener: UseEditorOpener;
}

/** A file name; a click opens the file in the editor without opening the row. */
function FileLink({ file, name, useOpener }: FileLinkProps) {
  const open = useOpener();
  const onClick = (event: MouseEvent): void => {
    event.stopPropagation();
    if (!open) return;
    event.preventDefault();
    open(file).catch(notifyError);
  };
  return (
    <Anchor
      className="cut"
      href={editorLink(chosenEditor(), file)}
      title={`Open ${file.path} in the editor`}
      onClick={onClick}
    >
      <code>{name}</code>
    </Anchor>
  );
}
