import { Switch, type SwitchProps } from '@mantine/core';
import { useConfirm } from './use-confirm.tsx';

interface EnabledSwitchProps extends Pick<SwitchProps, 'label' | 'aria-label' | 'labelPosition'> {
  name: string;
  type: string;
  isEnabled: boolean;
  isPending: boolean;
  onChange: (isEnabled: boolean) => Promise<unknown>;
  onError: (error: unknown) => void;
}

/** Enables and disables a function. Disabling a sync stops it for every connection, so it asks first. */
export function EnabledSwitch(props: EnabledSwitchProps) {
  const { name, type, isEnabled, isPending, onChange, onError, ...look } = props;
  const confirm = useConfirm();
  const change = (next: boolean): void => {
    if (next || type !== 'sync') {
      onChange(next).catch(onError);
      return;
    }
    confirm.ask({
      title: `Disable ${name}?`,
      text: 'It stops for every connection. Its syncs, settings and records are kept and continue when it is enabled again.',
      action: 'Disable sync',
      isHarmless: true,
      run: () => onChange(false),
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
