import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { typed } from '../forms/typed-text.ts';
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
  useEffect(() => {
    if (!isActive) return undefined;
    const work = { isConnected: true, value: ' ' };
    typed.add(work);
    return () => void typed.delete(work);
  }, [isActive]);
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
