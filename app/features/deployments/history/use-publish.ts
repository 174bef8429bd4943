import { useLingui } from '@lingui/react/macro';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { isExplained } from '../../../i18n/errors/is-explained.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/**
 * Returns a function that makes a preview live after asking, as its deploy would have done. If a newer
 * version has become live meanwhile, it stays a preview. The list reloads afterwards and `onPublished` is
 * called.
 */
export function usePublish(props: { site: Site; version: Version; onPublished: () => void }): {
  publish: () => Promise<void>;
  isPending: boolean;
} {
  const { site, version, onPublished } = props;
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const seal = trpc.deployments.seal.useMutation();
  const { name } = site;
  const { number } = version;

  const publish = async () => {
    const isSure = await askConfirmation({
      title: t`Publish version ${number} of ${name}?`,
      body: t`Version ${number} goes live at once.`,
      confirm: t`Publish`,
      isDestructive: false,
    });
    if (!isSure) return;
    try {
      const { superseded_by: newer } = await seal.mutateAsync({
        organization_id: organization.id,
        site_id: site.id,
        version_id: version.id,
        publish: true,
      });
      if (newer === null) notifySuccess(t`Version ${number} is live`);
      else notifyFailure(t`Version ${newer} is newer and stays live`);
    } catch (error) {
      const reason = describe(error);
      notifyFailure(isExplained(error) ? t`Publishing failed: ${reason}` : t`Publishing failed`);
    }
    await utils.deployments.list.invalidate({ organization_id: organization.id, site_id: site.id });
    onPublished();
  };
  return { publish, isPending: seal.isPending };
}
