import { notifications } from '@mantine/notifications';
import { describeError } from '../../lib/api-error.ts';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'petrol', role: 'status' });
}

/** Errors stay until they are dismissed. */
export function notifyError(error: unknown): void {
  const { message, code } = describeError(error);
  notifications.show({
    title: message,
    message: code,
    color: 'var(--hp-bad)',
    autoClose: false,
    role: 'alert',
  });
}
