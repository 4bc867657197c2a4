import { Button } from '@mantine/core';
import { formatCount } from '../../lib/format-number.ts';
import { SelectionBar } from '../list/SelectionBar.tsx';
import { type BulkAnswer, useBulk } from '../list/use-bulk.tsx';
import { useConfirm } from '../notice/use-confirm.tsx';
import type { RowSource } from '../table/columns.ts';
import { selectRows } from '../table/selection.ts';
import type { TableSelection } from '../table/table-props.ts';
import type { ColumnLayout } from '../table/use-column-layout.ts';

interface FunctionRow {
  integrationKey: string;
  type: string;
  name: string;
}

export const functionKey = (row: FunctionRow): string => `${row.integrationKey}/${row.type}/${row.name}`;

interface FunctionSelectionProps<Row> {
  selection: TableSelection<Row>;
  rows: RowSource<Row>;
  columns: ColumnLayout<Row>;
  /** Runs the action for at most 25; resolves to the failure of each, in their order. */
  send: (order: { isEnabled: boolean; targets: Row[] }) => Promise<BulkAnswer>;
}

/** The bar below a list of functions, with a result for each row. */
export function FunctionSelection<Row extends FunctionRow>(props: FunctionSelectionProps<Row>) {
  const { selection, rows, columns, send } = props;
  const runAll = useBulk<Row>();
  const confirm = useConfirm();
  const chosen = [...selection.value.rows.values()];
  const toggle = (isEnabled: boolean): void =>
    void runAll({
      doing: isEnabled ? 'Enabling' : 'Disabling',
      done: isEnabled ? 'enabled' : 'disabled',
      noun: 'function',
      rows: chosen,
      nameOf: functionKey,
      send: (targets) => send({ isEnabled, targets }),
      onEnd: (left) => selection.onChange(selectRows(left.length > 0 ? left : chosen, functionKey)),
    });
  const askToDisable = (): void =>
    confirm.ask({
      title: `Disable ${formatCount(chosen.length, 'function')}?`,
      text: 'They stop for every connection. Syncs, settings and records are kept and continue when they are enabled again.',
      action: 'Disable',
      isHarmless: true,
      run: async () => toggle(false),
    });
  return (
    <>
      <SelectionBar selection={selection} rows={rows} columns={columns} rowKey={functionKey}>
        <Button variant="subtle" onClick={() => toggle(true)}>
          Enable
        </Button>
        <Button variant="subtle" onClick={askToDisable}>
          Disable
        </Button>
      </SelectionBar>
      {confirm.dialog}
    </>
  );
}
