import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { trpc } from '../../trpc.ts';
import { onSignIn, setSessionEnded } from './ended-session.ts';

const SIGN_IN = '/auth/login?return_to=%2Fsigned-in';
const WINDOW = 'popup,width=520,height=760';

/** Asks a person to sign in again in a separate window, so that what was typed is kept. */
export default function SignInAgain() {
  const utils = trpc.useUtils();
  const [isOpen, setOpen] = useState(true);
  const [isStillOut, setStillOut] = useState(false);
  const isLooking = useRef(false);

  const look = async () => {
    if (isLooking.current) return;
    isLooking.current = true;
    const before = utils.user.me.getData()?.id;
    try {
      const user = await utils.user.me.fetch(undefined, { staleTime: 0 });
      // If another person has signed in, this page is not theirs.
      if (before !== undefined && user.id !== before) return window.location.reload();
      setOpen(false);
      await utils.invalidate();
    } catch {
      setStillOut(true);
    } finally {
      isLooking.current = false;
    }
  };
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => onSignIn(() => void latest.current()), []);

  const openWindow = (event: MouseEvent) => {
    // A script can close only windows that a script has opened; if that is blocked, the link opens a tab.
    if (window.open(SIGN_IN, '_blank', WINDOW)) event.preventDefault();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      onExitTransitionEnd={() => setSessionEnded(false)}
      title={<Trans>Your session has ended</Trans>}
    >
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            Sign in again in a new window, then continue here: what you have typed or begun is kept.
          </Trans>
        </Text>
        <Text size="sm" c="dimmed" role="status">
          {isStillOut && <Trans>You are not signed in yet.</Trans>}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => window.location.reload()}>
            <Trans>Leave this page</Trans>
          </Button>
          <Button component="a" href={SIGN_IN} target="_blank" onClick={openWindow} data-autofocus>
            <Trans>Sign in again</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
