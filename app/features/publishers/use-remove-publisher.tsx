import { Trans, useLingui } from '@lingui/react/macro';
import type { Publisher } from '#server/services/publishers/schema.ts';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

/** Returns a function that removes a repository's right to deploy after asking, and reports the result. */
export function useRemovePublisher({ id, site_id, repository }: Publisher): () => Promise<void> {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const remove = trpc.sites.publishers.remove.useMutation();
  const ofSite = { organization_id: organization.id, site_id };
  return async () => {
    const isSure = await askConfirmation({
      title: t`Remove ${repository}?`,
      body: <Trans>Its runs will be refused, including those in progress. What is live stays live.</Trans>,
      confirm: t`Remove repository`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await remove.mutateAsync({ ...ofSite, publisher_id: id });
      notifySuccess(t`${repository} can no longer deploy here`);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await utils.sites.publishers.list.invalidate(ofSite);
  };
}
