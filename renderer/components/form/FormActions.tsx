import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FormActionsProps {
  action: ReactNode;
  /** What is wrong with the form as a whole. */
  error?: string | null | undefined;
  isPending?: boolean;
  isDisabled?: boolean;
  /** Pixels above, where the form does not space its parts itself. */
  mt?: number;
  onCancel: () => void;
  /** Without it the action submits the form around it. */
  onAct?: () => void;
}

/** The end of a form in a dialog. */
export function FormActions(props: FormActionsProps) {
  const { action, error, isPending = false, isDisabled = false, mt = 0, onCancel, onAct } = props;
  return (
    <>
      {error && (
        <Text size="sm" c="var(--hp-bad)" mt={mt / 2} role="alert">
          {error}
        </Text>
      )}
      <Group justify="flex-end" gap={8} mt={mt}>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type={onAct ? 'button' : 'submit'} loading={isPending} disabled={isDisabled} onClick={() => onAct?.()}>
          {action}
        </Button>
      </Group>
    </>
  );
}
