import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Invitation } from '#server/services/organizations/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { MadeBanner } from '../../../components/notifications/made-banner.tsx';

/** The link right after it was created: the list below has it too, until it is used. */
export function InvitedBanner({ invitation, onDismiss }: { invitation: Invitation; onDismiss: () => void }) {
  const { t } = useLingui();
  const { email, link, delivery } = invitation;
  return (
    <MadeBanner title={<Trans>The invitation is ready</Trans>} onDismiss={onDismiss}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {email && delivery !== 'none' ? (
          <Trans>It is on its way to {email}. You can also share the link yourself.</Trans>
        ) : (
          <Trans>Give this link to one person. The first person to use it can join.</Trans>
        )}
      </Text>
      {link && <CopyLine value={link} label={t`Copy invitation link`} />}
    </MadeBanner>
  );
}
