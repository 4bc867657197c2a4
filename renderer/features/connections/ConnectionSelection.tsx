import { Button, Popover, TextInput } from '@mantine/core';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconRefresh,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import type { ConnectionCommand, ConnectionListItem } from '../../api/contract.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { useBulk } from '../../components/list/use-bulk.tsx';
import type { RowSource } from '../../components/table/columns.ts';
import { selectRows } from '../../components/table/selection.ts';
import type { TableSelection } from '../../components/table/table-props.ts';
import type { ColumnLayout } from '../../components/table/use-column-layout.ts';
import { useConfirm } from '../../components/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';
import classes from './ConnectionSelection.module.css';
import { connectionKey } from './connection-key.ts';

/** Deleting more than this asks for the number to be typed. */
const TYPED_ABOVE = 5;
const NAMED = 3;

const WORDS: Record<ConnectionCommand, { doing: string; done: string }> = {
  run: { doing: 'Starting the syncs of', done: 'told to run their syncs' },
  pause: { doing: 'Pausing the syncs of', done: 'paused' },
  resume: { doing: 'Resuming the syncs of', done: 'resumed' },
  refresh: { doing: 'Refreshing the tokens of', done: 'refreshed' },
  tag: { doing: 'Tagging', done: 'tagged' },
  delete: { doing: 'Deleting', done: 'deleted' },
};

interface ConnectionSelectionProps {
  selection: TableSelection<ConnectionListItem>;
  rows: RowSource<ConnectionListItem>;
  columns: ColumnLayout<ConnectionListItem>;
}

export function ConnectionSelection({ selection, rows, columns }: ConnectionSelectionProps) {
  const env = useEnv();
  const isProduction = useIsProduction();
  const { mutateAsync } = useConnectionBulk();
  const bulk = useBulk<ConnectionListItem>(describeError);
  const confirm = useConfirm();
  const chosen = [...selection.value.rows.values()];
  const count = formatCount(chosen.length, 'connection');
  const command = (what: ConnectionCommand, tags?: Record<string, string>): void =>
    void bulk.run({
      ...WORDS[what],
      noun: 'connection',
      rows: chosen,
      nameOf,
      send: (targets) => mutateAsync({ command: what, targets, ...(tags && { tags }) }),
      // What it was not done for stays selected.
      onEnd: (left) =>
        selection.onChange(selectRows(what === 'delete' || left.length > 0 ? left : chosen, connectionKey)),
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
      <SelectionBar
        selection={selection}
        rows={rows}
        columns={columns}
        rowKey={connectionKey}
        describeError={describeError}
      >
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
          Refresh token
        </Button>
        <TagButton onTag={(tags) => command('tag', tags)} />
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
      {bulk.dialog}
    </>
  );
}

const nameOf = (row: ConnectionListItem): string =>
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
          className={classes['form']}
          onSubmit={(event) => {
            event.preventDefault();
            setOpen(false);
            onTag({ [name.trim()]: value.trim() });
          }}
        >
          <TextInput label="Tag" value={name} data-autofocus onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label="Value" value={value} onChange={(event) => setValue(event.currentTarget.value)} />
          <Button type="submit" disabled={name.trim() === '' || value.trim() === ''}>
            Add
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
