import { describeError } from '../../api/api-error.ts';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunction } from '../../api/functions/functions-mutations.ts';
import { EnabledSwitch } from '../../components/EnabledSwitch.tsx';
import { notifyError } from '../../components/notify.ts';

export function FunctionSwitch({ row }: { row: FunctionListItem }) {
  const toggle = useToggleFunction(row);
  return (
    <EnabledSwitch
      aria-label={`${row.name} enabled`}
      name={row.name}
      type={row.type}
      isEnabled={row.isEnabled}
      isPending={toggle.isPending}
      onChange={toggle.mutateAsync}
      onError={(error) => notifyError(describeError(error))}
    />
  );
}
