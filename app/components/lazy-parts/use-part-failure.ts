import { useCallback } from 'react';
import { wasUpdated } from '../../console-update.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { notifyFailure } from '../notifications/notify.ts';

/** Returns what tells that a part of the console could not be loaded: an update, which is told for itself, or a server that is away. */
export function usePartFailure(): () => void {
  const describe = useErrorMessage();
  return useCallback(() => {
    if (!wasUpdated()) notifyFailure(describe(null));
  }, [describe]);
}
