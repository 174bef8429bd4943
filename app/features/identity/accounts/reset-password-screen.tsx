import { Trans } from '@lingui/react/macro';
import { Button, Card, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ButtonLink } from '../../../components/links.tsx';
import { isRetriable, readError } from '../../../i18n/errors/read-error.ts';
import { EntryScreen } from '../../sign-in/entry-screen.tsx';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { BackToSignIn } from './forgot-password-screen.tsx';
import { ResetPasswordForm } from './reset-password-form.tsx';

/** Chooses a new password with a link that was sent by email or passed on by an operator. */
export function ResetPasswordScreen({ token }: { token: string }) {
  const [changedFor, setChangedFor] = useState<string | null>(null);
  const [hasEnded, setEnded] = useState(false);
  // The form is shown immediately; a link that no longer works is detected before anyone has typed much.
  const check = useQuery({
    queryKey: ['identity', 'reset-password', token],
    queryFn: () => sendToIdentity<'mailLinkResultSchema'>('POST', '/reset-password/check', { token }),
    retry: (count, error) => count < 2 && isRetriable(error),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: changedFor === null,
  });
  if (changedFor !== null) return <PasswordChanged email={changedFor} />;
  if (hasEnded || readError(check.error)?.code === 'mail_link_invalid') return <EndedLink />;
  return (
    <EntryScreen
      hasShowcase
      title={<Trans>Choose a new password</Trans>}
      subtitle={<Trans>All browsers that are signed in to your account will be signed out.</Trans>}
      aside={<BackToSignIn />}
    >
      <Card>
        <ResetPasswordForm
          token={token}
          email={check.data?.email ?? ''}
          onChanged={setChangedFor}
          onEnded={() => setEnded(true)}
        />
      </Card>
    </EntryScreen>
  );
}

function PasswordChanged({ email }: { email: string }) {
  const focus = useFocusOnArrival<HTMLDivElement>();
  return (
    <EntryScreen hasShowcase title={<Trans>Your password is changed</Trans>}>
      <Card>
        <Stack gap="md" ref={focus} tabIndex={-1} role="status" style={{ outline: 'none' }}>
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              Sign in as <b>{email}</b> with your new password.
            </Trans>
          </Text>
          <Button
            component="a"
            href={`/auth/login?login_hint=${encodeURIComponent(email)}`}
            size="md"
            fullWidth
          >
            <Trans>Sign in</Trans>
          </Button>
        </Stack>
      </Card>
    </EntryScreen>
  );
}

/** A link is used once and within an hour, and a newer one replaces it. */
function EndedLink() {
  return (
    <EntryScreen hasShowcase title={<Trans>This link no longer works</Trans>} aside={<BackToSignIn />}>
      <Card>
        <Text mb="md" role="status">
          <Trans>
            It has already been used, is more than an hour old, or was replaced by a newer one. Ask for
            another one.
          </Trans>
        </Text>
        <ButtonLink to="/identity/forgot-password" size="md" fullWidth>
          <Trans>Ask for a new link</Trans>
        </ButtonLink>
      </Card>
    </EntryScreen>
  );
}
