import { Switch, type SwitchProps } from '@mantine/core';
import type { TakeBack } from '../../lib/take-back.ts';
import { notifyError } from '../notice/notify.ts';
import { notifyUndoable } from '../notice/notify-undoable.ts';
import { useConfirm } from '../notice/use-confirm.tsx';

interface EnabledSwitchProps extends Pick<SwitchProps, 'label' | 'aria-label' | 'labelPosition'> {
  name: string;
  type: string;
  isEnabled: boolean;
  isPending: boolean;
  /** Resolves to the way back. */
  onChange: (isEnabled: boolean) => Promise<TakeBack | undefined>;
}

/** Enables and disables a function. Disabling a sync stops it for every connection, so it asks first. */
export function EnabledSwitch(props: EnabledSwitchProps) {
  const { name, type, isEnabled, isPending, onChange, ...look } = props;
  const confirm = useConfirm();
  const send = async (next: boolean): Promise<void> =>
    notifyUndoable(`${name} ${next ? 'enabled' : 'disabled'}`, await onChange(next));
  const change = (next: boolean): void => {
    if (next || type !== 'sync') {
      send(next).catch(notifyError);
      return;
    }
    confirm.ask({
      title: `Disable ${name}?`,
      text: 'It stops for every connection. Its syncs, settings and records are kept and continue when it is enabled again.',
      action: 'Disable sync',
      isHarmless: true,
      run: () => send(false),
    });
  };
  return (
    <>
      <Switch
        {...look}
        checked={isEnabled}
        disabled={isPending}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {confirm.dialog}
    </>
  );
}
