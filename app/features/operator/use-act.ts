import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';

/** Returns a function that awaits a change, reports its result, and refreshes the data. */
export function useAct(
  refresh: () => Promise<unknown>,
): (work: Promise<unknown>, done: string) => Promise<void> {
  const describe = useErrorMessage();
  return async (work, done) => {
    try {
      await work;
      notifySuccess(done);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await refresh();
  };
}
