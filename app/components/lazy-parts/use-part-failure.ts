import { useCallback } from 'react';
import { wasUpdated } from '../../console-update.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { notifyFailure } from '../notifications/notify.ts';

/** Returns a function that reports a part of the console that could not be loaded. After an update, the notice of the update is shown instead. */
export function usePartFailure(): () => void {
  const describe = useErrorMessage();
  return useCallback(() => {
    if (!wasUpdated()) notifyFailure(describe(null));
  }, [describe]);
}
