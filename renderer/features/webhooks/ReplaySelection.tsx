import { Button } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useReplayWebhooks } from '../../api/webhooks/webhooks-mutations.ts';
import { firstClick } from '../../components/form/first-click.ts';
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { useBulk } from '../../components/list/use-bulk.tsx';
import type { RowSource } from '../../components/table/columns.ts';
import { selectRows } from '../../components/table/selection.ts';
import type { TableSelection } from '../../components/table/table-props.ts';
import type { ColumnLayout } from '../../components/table/use-column-layout.ts';

interface ReplaySelectionProps<Row> {
  direction: 'incoming' | 'outgoing';
  /** What the results call a row. */
  nameOf: (row: Row) => string;
  selection: TableSelection<Row>;
  rows: RowSource<Row>;
  columns: ColumnLayout<Row>;
  rowKey: (row: Row) => string;
}

/** The bar below a list of webhooks: replays the selected ones, with a result for each. */
export function ReplaySelection<Row extends { id: string }>(props: ReplaySelectionProps<Row>) {
  const { direction, nameOf, selection, rowKey } = props;
  const replay = useReplayWebhooks(direction);
  const runAll = useBulk<Row>();
  const replayAll = (): void => {
    const chosen = [...selection.value.rows.values()];
    void runAll({
      doing: 'Replaying',
      done: 'replayed',
      noun: 'webhook',
      rows: chosen,
      nameOf,
      send: async (part) => ({
        problems: await replay.mutateAsync(part.map(({ id }) => id)),
      }),
      // Rows for which it failed stay selected.
      onEnd: (left) => selection.onChange(selectRows(left, rowKey)),
    });
  };
  return (
    <SelectionBar {...props}>
      <Button
        variant="subtle"
        leftSection={<IconRepeat size={16} stroke={1.6} aria-hidden />}
        onClick={firstClick(replayAll)}
      >
        Replay
      </Button>
    </SelectionBar>
  );
}
