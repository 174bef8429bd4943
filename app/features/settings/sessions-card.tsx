import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import type { Session } from '#server/services/identity/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { SectionCard } from '../../components/page/section-card.tsx';
import { readError } from '../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { describeUserAgent } from './describe-user-agent.ts';
import classes from './sessions-card.module.css';

/** Every browser that is signed in as this person; each of the others can be signed out, or all of them at once. */
export function SessionsCard() {
  const [sessions] = trpc.user.sessions.useSuspenseQuery();
  const others = sessions.filter((session) => !session.is_current);
  return (
    <SectionCard
      title={<Trans>Sessions</Trans>}
      description={
        <Trans>The browsers where you are signed in. Sign out any that you do not recognize.</Trans>
      }
      action={others.length > 1 && <SignOutOthersButton others={others} />}
    >
      <ul className={classes.list}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
    </SectionCard>
  );
}

function SignOutOthersButton({ others }: { others: readonly Session[] }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const revoke = trpc.user.revokeSession.useMutation();
  const [isEnding, setEnding] = useState(false);

  const askToRevokeAll = async () => {
    const isSure = await askConfirmation({
      title: t`Sign out everywhere else?`,
      body: <Trans>You stay signed in here. The other browsers will have to sign in again.</Trans>,
      confirm: t`Sign out everywhere else`,
      isDestructive: true,
    });
    if (!isSure) return;
    setEnding(true);
    const ends = await Promise.allSettled(others.map(({ id }) => revoke.mutateAsync({ session_id: id })));
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    // One that has ended in the meantime is what was asked for.
    const failure = failures.find((error) => readError(error)?.code !== 'session_not_found');
    if (failure) notifyFailure(describe(failure));
    else notifySuccess(t`All other sessions were signed out`);
    await utils.user.sessions.invalidate();
    setEnding(false);
  };

  return (
    <Button variant="default" size="xs" loading={isEnding} onClick={() => void askToRevokeAll()}>
      <Trans>Sign out everywhere else</Trans>
    </Button>
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
      body: <Trans>Whoever uses that browser will have to sign in again.</Trans>,
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
