import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { addUnsavedWork } from '../forms/add-unsaved-work.ts';
import { askConfirmation } from './confirm-host.tsx';

/**
 * While active, asks before another page is opened, and makes the browser ask before the tab is closed or
 * reloaded.
 */
export function useLeaveWarning(warning: {
  isActive: boolean;
  title: string;
  text: string;
  leave: string;
}): void {
  const { isActive, title, text, leave } = warning;
  // Nor does the page load itself again, when the session has ended.
  useEffect(() => (isActive ? addUnsavedWork(() => true) : undefined), [isActive]);
  useBlocker({
    disabled: !isActive,
    enableBeforeUnload: isActive,
    shouldBlockFn: async ({ current, next }) => {
      // Opening a panel of the same page changes only the address.
      if (current.pathname === next.pathname) return false;
      return !(await askConfirmation({ title, body: text, confirm: leave, isDestructive: true }));
    },
  });
}
