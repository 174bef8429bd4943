import { useLingui } from '@lingui/react/macro';
import type { Site } from '#server/services/sites/schema.ts';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useSiteParams } from '../use-site-params.ts';

/** Returns a function that restores a deleted site, and reports the result. */
export function useRestoreSite({ name }: Site): { restoreSite: () => Promise<void>; isPending: boolean } {
  const { t } = useLingui();
  const ofSite = useSiteParams();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const { mutateAsync, isPending } = trpc.sites.restore.useMutation();
  const restoreSite = async () => {
    try {
      await mutateAsync(ofSite);
      notifySuccess(t`${name} is back`);
      await utils.sites.invalidate();
    } catch (error) {
      notifyFailure(describe(error));
    }
  };
  return { restoreSite, isPending };
}
