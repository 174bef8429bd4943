import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Card, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSettings } from '../../../use-settings.ts';
import { EntryScreen } from '../../sign-in/entry-screen.tsx';
import { signInWithTypedAddress } from '../sign-in/use-typed-address.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { ForgotPasswordForm } from './forgot-password-form.tsx';

/** Requests a link to choose a new password; when no email is sent, says whom to ask. */
export function ForgotPasswordScreen() {
  const { sendsMail } = useSettings();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (!sendsMail) return <AskOperator />;
  if (sentTo !== null) return <LinkSent email={sentTo} onAgain={() => setSentTo(null)} />;
  return (
    <EntryScreen
      hasShowcase
      title={<Trans>Forgot your password?</Trans>}
      subtitle={<Trans>We will email you a link to choose a new one.</Trans>}
      aside={<BackToSignIn />}
    >
      <Card>
        <ForgotPasswordForm onSent={setSentTo} />
      </Card>
    </EntryScreen>
  );
}

/** The same text whether or not there is such an account. */
function LinkSent({ email, onAgain }: { email: string; onAgain: () => void }) {
  const focus = useFocusOnArrival<HTMLDivElement>();
  return (
    <EntryScreen hasShowcase title={<Trans>Check your inbox</Trans>} aside={<BackToSignIn />}>
      <Card>
        <Stack gap="md" ref={focus} tabIndex={-1} role="status" style={{ outline: 'none' }}>
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              If there is an account with the address <b>{email}</b>, we have sent a message with a link to
              it.
            </Trans>
          </Text>
          <Text size="sm" c="dimmed">
            <Trans>
              The link works once, for one hour. If nothing arrives within a few minutes, check your spam
              folder, and check that this is the address of your account.
            </Trans>
          </Text>
          <Button variant="default" size="md" onClick={onAgain}>
            <Trans>Use another address</Trans>
          </Button>
        </Stack>
      </Card>
    </EntryScreen>
  );
}

function AskOperator() {
  return (
    <EntryScreen hasShowcase title={<Trans>Forgot your password?</Trans>} aside={<BackToSignIn />}>
      <Card>
        <Text>
          <Trans>
            This installation does not send email. Ask its operator for a link to choose a new password.
          </Trans>
        </Text>
      </Card>
    </EntryScreen>
  );
}

export function BackToSignIn() {
  return (
    <Anchor
      href="/auth/login"
      onClick={(event) => {
        event.currentTarget.href = signInWithTypedAddress();
      }}
    >
      <Trans>Back to sign in</Trans>
    </Anchor>
  );
}
