import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { Invitation } from '#server/services/organizations/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { useArrival } from '../../../components/focus/use-arrival.ts';
import classes from './invitations-tab.module.css';

/** The link right after it was created: the list below has it too, until it is used. */
export function InvitedBanner({ invitation, onDismiss }: { invitation: Invitation; onDismiss: () => void }) {
  const { t } = useLingui();
  const banner = useArrival();
  const { email, link, delivery } = invitation;
  return (
    <Alert
      ref={banner}
      role="status"
      color="green"
      classNames={{ wrapper: classes.banner, body: classes.banner }}
      icon={<IconCircleCheck size={20} aria-hidden />}
      title={<Trans>The invitation is ready</Trans>}
    >
      <Stack gap="sm" align="stretch">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {email && delivery !== 'none' ? (
            <Trans>It is on its way to {email}. You can also share the link yourself.</Trans>
          ) : (
            <Trans>Give this link to one person. The first person to use it can join.</Trans>
          )}
        </Text>
        {link && <CopyLine value={link} label={t`Copy invitation link`} />}
        <Button variant="default" onClick={onDismiss} style={{ alignSelf: 'flex-start' }}>
          <Trans>Dismiss</Trans>
        </Button>
      </Stack>
    </Alert>
  );
}
