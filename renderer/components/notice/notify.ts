import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { describeError } from '../../lib/api-error.ts';
import { CodeLink } from './CodeLink.tsx';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'petrol', role: 'status' });
}

/** Errors stay until they are dismissed. */
export function notifyError(error: unknown): void {
  const { message, code } = describeError(error);
  notifications.show({
    title: message,
    message: createElement(CodeLink, { code }),
    color: 'var(--hp-bad)',
    autoClose: false,
    role: 'alert',
  });
}
