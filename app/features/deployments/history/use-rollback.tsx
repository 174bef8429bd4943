import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { versionState } from '#server/services/deployments/rules.ts';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { isExplained } from '../../../i18n/errors/is-explained.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/**
 * Returns a function that makes a version current again after asking, saying how many newer ones that
 * reverts. The list reloads afterwards and `onRolledBack` is called.
 */
export function useRollback(props: {
  site: Site;
  version: Version;
  /** The versions above it in the history. */
  newer: Version[];
  onRolledBack: () => void;
}): { rollBack: () => Promise<void>; isPending: boolean } {
  const { site, version, newer, onRolledBack } = props;
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const rollback = trpc.deployments.rollback.useMutation();
  const { name } = site;
  const { number } = version;
  const revertedCount = newer.filter((other) => ['current', 'other'].includes(versionState(other))).length;

  const rollBack = async () => {
    const isSure = await askConfirmation({
      title: t`Roll back ${name} to version ${number}?`,
      body: (
        <>
          <Trans>Version {number} goes live at once.</Trans>{' '}
          <Plural
            value={revertedCount}
            one="# newer version will be reverted and cannot be restored."
            other="# newer versions will be reverted and cannot be restored."
          />{' '}
          <Trans>What has already been uploaded is kept and is not sent again by a later deploy.</Trans>
        </>
      ),
      confirm: t`Roll back`,
    });
    if (!isSure) return;
    try {
      await rollback.mutateAsync({
        organization_id: organization.id,
        site_id: site.id,
        version_id: version.id,
      });
      notifySuccess(t`Version ${number} is live`);
    } catch (error) {
      const reason = describe(error);
      notifyFailure(isExplained(error) ? t`Rollback failed: ${reason}` : t`Rollback failed`);
    }
    await utils.deployments.list.invalidate({ organization_id: organization.id, site_id: site.id });
    onRolledBack();
  };
  return { rollBack, isPending: rollback.isPending };
}
