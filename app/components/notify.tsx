import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

const SUCCESS_MS = 5000;

/** Says at the edge of the screen that something worked; `action` may offer to undo it. */
export function notifySuccess(message: ReactNode): void {
  notifications.show({ message, color: 'green', autoClose: SUCCESS_MS });
}

/** Says at the edge of the screen that something failed; it stays until it is dismissed. */
export function notifyFailure(message: ReactNode): void {
  notifications.show({ message, color: 'red', autoClose: false, role: 'alert' });
}
