import { notifications } from '@mantine/notifications';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'petrol', role: 'status' });
}

/** Errors stay until they are dismissed. */
export function notifyError(error: { message: string; code: string }): void {
  notifications.show({
    title: error.message,
    message: error.code,
    color: 'var(--hp-bad)',
    autoClose: false,
    role: 'alert',
  });
}
