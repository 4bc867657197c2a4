import { Switch } from '@mantine/core';
import { describeError } from '../../api/api-error.ts';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunction } from '../../api/functions/functions-mutations.ts';
import { notifyError } from '../../components/notify.ts';
import { useConfirm } from '../../components/use-confirm.tsx';

/** Switching a sync off stops it for every connection, so that asks first. */
export function FunctionSwitch({ row }: { row: FunctionListItem }) {
  const toggle = useToggleFunction(row);
  const confirm = useConfirm();
  const change = (isEnabled: boolean): void => {
    if (isEnabled || row.type !== 'sync') {
      toggle.mutate(isEnabled, { onError: (error) => notifyError(describeError(error)) });
      return;
    }
    confirm.ask({
      title: `Disable ${row.name}?`,
      text: 'It stops for every connection. Its syncs, settings and records are kept and go on when it is enabled again.',
      action: 'Disable sync',
      isHarmless: true,
      run: () => toggle.mutateAsync(false),
    });
  };
  return (
    <>
      <Switch
        aria-label={`${row.name} enabled`}
        checked={row.isEnabled}
        disabled={toggle.isPending}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {confirm.dialog}
    </>
  );
}
