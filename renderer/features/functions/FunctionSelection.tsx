import { Button } from '@mantine/core';
import { describeError } from '../../api/api-error.ts';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunctions } from '../../api/functions/functions-mutations.ts';
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { useBulk } from '../../components/list/use-bulk.tsx';
import type { RowSource } from '../../components/table/columns.ts';
import { selectRows } from '../../components/table/selection.ts';
import type { TableSelection } from '../../components/table/table-props.ts';
import type { ColumnLayout } from '../../components/table/use-column-layout.ts';
import { useConfirm } from '../../components/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';

export const functionKey = (row: Pick<FunctionListItem, 'integrationKey' | 'type' | 'name'>): string =>
  `${row.integrationKey}/${row.type}/${row.name}`;

interface FunctionSelectionProps {
  selection: TableSelection<FunctionListItem>;
  rows: RowSource<FunctionListItem>;
  columns: ColumnLayout<FunctionListItem>;
}

export function FunctionSelection({ selection, rows, columns }: FunctionSelectionProps) {
  const { mutateAsync } = useToggleFunctions();
  const bulk = useBulk<FunctionListItem>(describeError);
  const confirm = useConfirm();
  const chosen = [...selection.value.rows.values()];
  const toggle = (isEnabled: boolean): void =>
    void bulk.run({
      doing: isEnabled ? 'Enabling' : 'Disabling',
      done: isEnabled ? 'enabled' : 'disabled',
      noun: 'function',
      rows: chosen,
      nameOf: functionKey,
      send: (targets) => mutateAsync({ isEnabled, targets }),
      onEnd: (left) => selection.onChange(selectRows(left.length > 0 ? left : chosen, functionKey)),
    });
  const askToDisable = (): void =>
    confirm.ask({
      title: `Disable ${formatCount(chosen.length, 'function')}?`,
      text: 'They stop for every connection. Syncs, settings and records are kept and go on when they are enabled again.',
      action: 'Disable',
      isHarmless: true,
      run: async () => toggle(false),
    });
  return (
    <>
      <SelectionBar
        selection={selection}
        rows={rows}
        columns={columns}
        rowKey={functionKey}
        describeError={describeError}
      >
        <Button variant="subtle" onClick={() => toggle(true)}>
          Enable
        </Button>
        <Button variant="subtle" onClick={askToDisable}>
          Disable
        </Button>
      </SelectionBar>
      {confirm.dialog}
      {bulk.dialog}
    </>
  );
}
