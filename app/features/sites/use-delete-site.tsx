import { Trans, useLingui } from '@lingui/react/macro';
import { useRouter } from '@tanstack/react-router';
import { isInUse } from '#server/services/sites/rules.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure } from '../../components/notifications/notify.ts';
import { notifyUndo } from '../../components/notifications/notify-undo.tsx';
import { FORESEEN_MESSAGES } from '../../i18n/errors/foreseen-messages.ts';
import { isExplained } from '../../i18n/errors/is-explained.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useRestoreSite } from './page/use-restore-site.ts';
import { hostOf } from './site-host.ts';
import { useSiteParams } from './use-site-params.ts';

/**
 * Returns a function that deletes a site after asking, goes back to the list and offers to undo. For a site
 * that still has endpoints, an alert says what to do first.
 */
export function useDeleteSite(site: Site): () => Promise<void> {
  const { t, i18n } = useLingui();
  const ofSite = useSiteParams();
  const describe = useErrorMessage();
  const router = useRouter();
  const utils = trpc.useUtils();
  const remove = trpc.sites.delete.useMutation();
  const { restoreSite } = useRestoreSite(site);
  const { name } = site;
  const address = hostOf(site.subdomain_url);

  return async () => {
    if (isInUse(site)) {
      notifyFailure(i18n._(FORESEEN_MESSAGES.site_has_endpoints));
      return;
    }
    const isSure = await askConfirmation({
      title: t`Delete ${name}?`,
      body: (
        <Trans>
          <strong>{address}</strong> stops responding immediately and the versions of {name} are removed. You
          can undo this for seven days.
        </Trans>
      ),
      confirm: t`Delete site`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await remove.mutateAsync(ofSite);
    } catch (error) {
      notifyFailure(isExplained(error) ? describe(error) : t`Unknown error`);
      return;
    }
    await router.navigate({ to: '/$orgId/sites', params: { orgId: ofSite.organization_id } });
    // Going back says that it was deleted.
    void utils.sites.get.invalidate(ofSite);
    void utils.sites.list.invalidate();
    notifyUndo(t`${name} was deleted`, () => void restoreSite());
  };
}
