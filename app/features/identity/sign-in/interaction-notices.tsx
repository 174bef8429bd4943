import { Trans } from '@lingui/react/macro';
import { Button, Card, Stack, Text } from '@mantine/core';
import { useSettings } from '../../../use-settings.ts';
import { EntryScreen } from '../../sign-in/entry-screen.tsx';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';

/** An interaction is used once and within an hour, by the browser that started it. */
export function ExpiredInteraction() {
  return (
    <EntryScreen hasShowcase title={<Trans>This sign-in has expired</Trans>}>
      <Card>
        <Text mb="md" role="status">
          <Trans>
            It took too long, was already used, or was started in another browser. Nothing is lost: just start
            again.
          </Trans>
        </Text>
        <Button component="a" href="/auth/login" size="md" fullWidth>
          <Trans>Start again</Trans>
        </Button>
      </Card>
    </EntryScreen>
  );
}

/** A visitor wants an account where registration requires an invitation. */
export function ClosedRegistration({ onSignIn }: { onSignIn: () => void }) {
  const { productName } = useSettings();
  return (
    <EntryScreen hasShowcase title={<Trans>Registration is closed</Trans>}>
      <Card>
        <Text mb="md" role="status">
          <Trans>
            Accounts on {productName} are created by its operator, or with the link of an open invitation.
          </Trans>
        </Text>
        <Button onClick={onSignIn} size="md" fullWidth>
          <Trans>Sign in instead</Trans>
        </Button>
      </Card>
    </EntryScreen>
  );
}

/** The account was created; the link sent to its address confirms it. */
export function AwaitedConfirmation({ email, onSignIn }: { email: string; onSignIn: () => void }) {
  const focus = useFocusOnArrival<HTMLDivElement>();
  return (
    <EntryScreen hasShowcase title={<Trans>Confirm your email address</Trans>}>
      <Card>
        <Stack gap="md" ref={focus} tabIndex={-1} role="status" style={{ outline: 'none' }}>
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              We have sent a link to <b>{email}</b>. Open it, then sign in.
            </Trans>
          </Text>
          <Button onClick={onSignIn} size="md" fullWidth>
            <Trans>Sign in</Trans>
          </Button>
        </Stack>
      </Card>
    </EntryScreen>
  );
}
