import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerTrackNext } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { firstClick } from '../form/first-click.ts';
import { SelectionBar } from '../list/SelectionBar.tsx';
import { type BulkAnswer, useBulk } from '../list/use-bulk.tsx';
import type { RowSource } from '../table/columns.ts';
import { selectRows } from '../table/selection.ts';
import type { TableSelection } from '../table/table-props.ts';
import type { ColumnLayout } from '../table/use-column-layout.ts';

type SyncCommand = 'RUN' | 'PAUSE' | 'UNPAUSE';

const WORDS: Record<SyncCommand, { doing: string; done: string }> = {
  RUN: { doing: 'Starting', done: 'started' },
  PAUSE: { doing: 'Pausing', done: 'paused' },
  UNPAUSE: { doing: 'Resuming', done: 'resumed' },
};

export interface SyncCommandOptions<Row> {
  nameOf: (row: Row) => string;
  /** Runs the command for at most 25. */
  send: (order: { command: SyncCommand; rows: Row[] }) => Promise<BulkAnswer>;
}

/** Runs, pauses and resumes syncs with a result for each. */
export function useSyncCommands<Row>({
  nameOf,
  send,
}: SyncCommandOptions<Row>): (
  command: SyncCommand,
  rows: readonly Row[],
  onEnd?: (failed: readonly Row[]) => void,
) => void {
  const runAll = useBulk<Row>();
  return (command, rows, onEnd = () => {}) =>
    void runAll({
      ...WORDS[command],
      noun: 'sync',
      rows,
      nameOf,
      send: (part) => send({ command, rows: part }),
      onEnd,
    });
}

interface SyncCommandBarProps<Row> extends SyncCommandOptions<Row> {
  selection: TableSelection<Row>;
  rows: RowSource<Row>;
  columns: ColumnLayout<Row>;
  rowKey: (row: Row) => string;
  /** Further actions on the rows. */
  children?: ReactNode;
}

/** The bar below a list of syncs. */
export function SyncCommandBar<Row>({
  selection,
  rows,
  columns,
  rowKey,
  children,
  ...options
}: SyncCommandBarProps<Row>) {
  const order = useSyncCommands(options);
  const chosen = [...selection.value.rows.values()];
  // Rows for which it failed stay selected.
  const command = (what: SyncCommand): void =>
    order(what, chosen, (left) => selection.onChange(selectRows(left.length > 0 ? left : chosen, rowKey)));
  return (
    <SelectionBar selection={selection} rows={rows} columns={columns} rowKey={rowKey}>
      <Button
        variant="subtle"
        leftSection={<IconPlayerPlay size={16} stroke={1.6} />}
        onClick={firstClick(() => command('RUN'))}
      >
        Run
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconPlayerPause size={16} stroke={1.6} />}
        onClick={firstClick(() => command('PAUSE'))}
      >
        Pause
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconPlayerTrackNext size={16} stroke={1.6} />}
        onClick={firstClick(() => command('UNPAUSE'))}
      >
        Resume
      </Button>
      {children}
    </SelectionBar>
  );
}
