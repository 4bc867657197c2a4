import { Button, Popover, TextInput } from '@mantine/core';
import {
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconRefresh,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { formatCount } from '../../lib/format-number.ts';
import type { ExportFormProps } from '../form/ExportForm.tsx';
import { SelectionBar } from '../list/SelectionBar.tsx';
import { type BulkAnswer, useBulk } from '../list/use-bulk.tsx';
import { useConfirm } from '../notice/use-confirm.tsx';
import { useShell } from '../shell-context.ts';
import type { RowSource } from '../table/columns.ts';
import { selectRows } from '../table/selection.ts';
import type { TableSelection } from '../table/table-props.ts';
import type { ColumnLayout } from '../table/use-column-layout.ts';

const ExportDialog = lazy(async () => ({ default: (await import('../form/ExportDialog.tsx')).ExportDialog }));

/** Deleting more than this asks for the number to be typed. */
const TYPED_ABOVE = 5;
const NAMED = 3;

/** The actions on several connections. */
type ConnectionCommand = 'run' | 'pause' | 'resume' | 'refresh' | 'tag' | 'delete';

const WORDS: Record<ConnectionCommand, { doing: string; done: string }> = {
  run: { doing: 'Starting the syncs of', done: 'started their syncs' },
  pause: { doing: 'Pausing the syncs of', done: 'paused' },
  resume: { doing: 'Resuming the syncs of', done: 'resumed' },
  refresh: { doing: 'Refreshing the tokens of', done: 'refreshed' },
  tag: { doing: 'Tagging', done: 'tagged' },
  delete: { doing: 'Deleting', done: 'deleted' },
};

interface ConnectionName {
  integrationKey: string;
  connectionId: string;
}

export interface SelectedConnection extends ConnectionName {
  integrationName: string;
  displayName: string | null;
}

export interface ConnectionBulkProps<Row> {
  env: string;
  selection: TableSelection<Row>;
  rows: RowSource<Row>;
  columns: ColumnLayout<Row>;
  rowKey: (row: Row) => string;
  /** Runs the action for at most 25. */
  send: (order: { command: ConnectionCommand; targets: Row[]; tags?: Record<string, string> }) => Promise<BulkAnswer>;
  /** Writes the connections into a file. */
  exportFile: (
    order: Parameters<ExportFormProps['write']>[0] & { parts: ['connections']; connections: ConnectionName[] },
  ) => Promise<Blob>;
}

/** The bar below a list of connections, with a result for each row. */
export function ConnectionBulk<Row extends SelectedConnection>(props: ConnectionBulkProps<Row>) {
  const { env, selection, rows, columns, rowKey, send, exportFile } = props;
  const [isExporting, setExporting] = useState(false);
  const isProduction = useShell().productionName !== undefined;
  const runAll = useBulk<Row>();
  const confirm = useConfirm();
  const chosen = [...selection.value.rows.values()];
  const count = formatCount(chosen.length, 'connection');
  const command = (what: ConnectionCommand, tags?: Record<string, string>): void =>
    void runAll({
      ...WORDS[what],
      noun: 'connection',
      rows: chosen,
      nameOf,
      send: (targets) => send({ command: what, targets, ...(tags && { tags }) }),
      // Rows for which it failed stay selected.
      onEnd: (left) => selection.onChange(selectRows(what === 'delete' || left.length > 0 ? left : chosen, rowKey)),
    });
  const askToDelete = (): void =>
    confirm.ask({
      title: `Delete ${count} of ${env}?`,
      text: (
        <>
          {chosen.slice(0, NAMED).map(nameOf).join(', ')}
          {chosen.length > NAMED && ` and ${chosen.length - NAMED} more`}. Their credentials and records are deleted.
          Nothing is changed at the provider.
        </>
      ),
      action: `Delete ${count}`,
      typed: isProduction || chosen.length > TYPED_ABOVE ? String(chosen.length) : undefined,
      run: async () => command('delete'),
    });
  return (
    <>
      <SelectionBar selection={selection} rows={rows} columns={columns} rowKey={rowKey}>
        <Button variant="subtle" leftSection={<IconPlayerPlay size={16} stroke={1.6} />} onClick={() => command('run')}>
          Run syncs
        </Button>
        <Button
          variant="subtle"
          leftSection={<IconPlayerPause size={16} stroke={1.6} />}
          onClick={() => command('pause')}
        >
          Pause
        </Button>
        <Button
          variant="subtle"
          leftSection={<IconPlayerTrackNext size={16} stroke={1.6} />}
          onClick={() => command('resume')}
        >
          Resume
        </Button>
        <Button
          variant="subtle"
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          onClick={() => command('refresh')}
        >
          Refresh tokens
        </Button>
        <TagButton onTag={(tags) => command('tag', tags)} />
        <Button
          variant="subtle"
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={() => setExporting(true)}
        >
          Export…
        </Button>
        <Button
          variant="subtle"
          data-tone="bad"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={askToDelete}
        >
          Delete
        </Button>
      </SelectionBar>
      {confirm.dialog}
      <Suspense fallback={null}>
        {isExporting && (
          <ExportDialog
            title={`Export ${count}`}
            text="Tags, metadata and configuration, without records. They can be imported where there are integrations of the same IDs."
            name={`${env}-connections`}
            write={(options) => exportFile({ ...options, parts: ['connections'], connections: chosen.map(namesOf) })}
            onClose={() => setExporting(false)}
          />
        )}
      </Suspense>
    </>
  );
}

const namesOf = ({ integrationKey, connectionId }: ConnectionName): ConnectionName => ({
  integrationKey,
  connectionId,
});
const nameOf = (row: SelectedConnection): string =>
  row.displayName === null ? row.connectionId : `${row.displayName} (${row.integrationName})`;

function TagButton({ onTag }: { onTag: (tags: Record<string, string>) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" leftSection={<IconTag size={16} stroke={1.6} />} onClick={() => setOpen(!isOpen)}>
          Add tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Add tag">
        <form
          className="flex gap-8 at-bottom"
          onSubmit={(event) => {
            event.preventDefault();
            setOpen(false);
            onTag({ [name.trim()]: value.trim() });
          }}
        >
          <TextInput
            label="Tag"
            w={140}
            value={name}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput label="Value" w={140} value={value} onChange={(event) => setValue(event.currentTarget.value)} />
          <Button type="submit" disabled={name.trim() === '' || value.trim() === ''}>
            Add
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
