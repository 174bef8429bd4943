import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import type { Session } from '#server/services/identity/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { describeUserAgent } from './describe-user-agent.ts';
import classes from './sessions-card.module.css';

/** Every browser that is signed in as this person; each of the others can be signed out. */
export function SessionsCard() {
  const [sessions] = trpc.user.sessions.useSuspenseQuery();
  return (
    <SectionCard
      title={<Trans>Sessions</Trans>}
      description={
        <Trans>The browsers where you are signed in. Sign out any that you do not recognize.</Trans>
      }
    >
      <ul className={classes.list}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
    </SectionCard>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const revoke = trpc.user.revokeSession.useMutation();
  const { browser, system, isPhone } = describeUserAgent(session.user_agent);
  const device = browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown browser`);
  const DeviceIcon = isPhone ? IconDeviceMobile : IconDeviceDesktop;

  const askToRevoke = async () => {
    const isSure = await askConfirmation({
      title: t({ context: 'another session', message: `Sign out ${device}?` }),
      body: <Trans>You will have to sign in again in this browser.</Trans>,
      confirm: t({ context: 'another session', message: 'Sign out session' }),
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await revoke.mutateAsync({ session_id: session.id });
      notifySuccess(t`The session was signed out`);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await utils.user.sessions.invalidate();
  };

  return (
    <li className={classes.row}>
      <DeviceIcon size={20} stroke={1.5} aria-hidden />
      <div className={classes.text}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {device}
          </Text>
          {session.is_current && (
            <Badge color="green">
              <Trans>This browser</Trans>
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {session.address} · <Trans>last used</Trans> <TimeAgo instant={session.last_used_at} />
        </Text>
      </div>
      {!session.is_current && (
        <Button
          variant="default"
          size="xs"
          loading={revoke.isPending}
          aria-label={t({ context: 'another session', message: `Sign out ${device}` })}
          className={classes.action}
          onClick={() => void askToRevoke()}
        >
          <Trans context="another session">Sign out</Trans>
        </Button>
      )}
    </li>
  );
}
