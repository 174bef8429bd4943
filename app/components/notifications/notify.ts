import type { ReactNode } from 'react';
import { showNotification } from './notification-host.tsx';

const SUCCESS_MS = 5000;

/** Says at the edge of the screen that something worked. */
export function notifySuccess(message: ReactNode): void {
  showNotification({ message, color: 'green', autoClose: SUCCESS_MS });
}

/** Says at the edge of the screen that something failed; it stays until it is dismissed. */
export function notifyFailure(message: ReactNode): void {
  showNotification({ message, color: 'red', autoClose: false, role: 'alert' });
}
