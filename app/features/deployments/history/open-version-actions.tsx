import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import type { Version } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { FolderButton } from '../folder-button.tsx';
import type { PickedFile } from '../upload/picked-files.ts';

/**
 * Actions for a version whose upload was never finished. To resume it, the folder is chosen again, because a
 * browser cannot reopen it; nothing that was already sent is sent twice. The version left behind is then
 * discarded.
 */
export function OpenVersionActions(props: {
  site: Site;
  version: Version;
  onResume: (files: PickedFile[]) => void;
}) {
  const { site, version, onResume } = props;
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const cancel = trpc.deployments.cancel.useMutation();
  const { number } = version;
  const ofSite = { organization_id: organization.id, site_id: site.id };
  const discard = async () => {
    const isSure = await askConfirmation({
      title: t`Discard version ${number}?`,
      body: (
        <Trans>
          The live site stays as it is. If the version is still being uploaded somewhere, that upload stops.
        </Trans>
      ),
      confirm: t`Discard`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await cancel.mutateAsync({ ...ofSite, version_id: version.id });
    } catch (error) {
      notifyFailure(describe(error));
    }
    await utils.deployments.list.invalidate(ofSite);
  };
  return (
    <Group gap="xs" mt="xs">
      <FolderButton label={t`Folder of version ${number}`} onPick={onResume}>
        {(choose) => (
          <Button variant="default" size="xs" onClick={choose} aria-label={t`Resume version ${number}`}>
            <Trans>Resume…</Trans>
          </Button>
        )}
      </FolderButton>
      <Button
        variant="default"
        size="xs"
        onClick={() => void discard()}
        loading={cancel.isPending}
        aria-label={t`Discard version ${number}`}
      >
        <Trans>Discard</Trans>
      </Button>
    </Group>
  );
}
