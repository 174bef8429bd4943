import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { useSettings } from '../../../use-settings.ts';
import { EntryScreen } from '../../sign-in/entry-screen.tsx';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { useAccountForm } from './use-account-form.ts';

/**
 * Confirms an email address with a link that was sent to it. It requires a click, because mail scanners open
 * every link, which proves nothing.
 */
export function VerifyEmailScreen({ token }: { token: string }) {
  const { t } = useLingui();
  const { productName } = useSettings();
  const [verified, setVerified] = useState<string | null>(null);
  const [hasEnded, setEnded] = useState(false);
  const form = useAccountForm({
    schema: 'mailLinkInput',
    toInput: () => ({ token }),
    send: async (input) => {
      const { email } = await sendToIdentity<'mailLinkResultSchema'>('POST', '/verify-email', input);
      setVerified(email);
    },
    onFailure: (code) => code === 'mail_link_invalid' && setEnded(true),
  });
  if (verified !== null) return <Verified email={verified} />;
  if (hasEnded) return <EndedLink />;
  return (
    <EntryScreen
      hasShowcase
      title={<Trans>Confirm your email address</Trans>}
      subtitle={<Trans>This confirms that messages from {productName} reach you.</Trans>}
    >
      <Card>
        <form {...form.formProps} aria-label={t`Confirm your email address`}>
          <Stack gap="md">
            {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
            <Button type="submit" size="md" fullWidth loading={form.isPending}>
              <Trans>Confirm my address</Trans>
            </Button>
          </Stack>
        </form>
      </Card>
    </EntryScreen>
  );
}

function Verified({ email }: { email: string }) {
  const focus = useFocusOnArrival<HTMLDivElement>();
  return (
    <EntryScreen hasShowcase title={<Trans>Your email address is confirmed</Trans>}>
      <Card>
        <Stack gap="md" ref={focus} tabIndex={-1} role="status" style={{ outline: 'none' }}>
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              Thank you. Messages reach you at <b>{email}</b>.
            </Trans>
          </Text>
          <ButtonLink to="/" size="md" fullWidth>
            <Trans>Go to the console</Trans>
          </ButtonLink>
        </Stack>
      </Card>
    </EntryScreen>
  );
}

function EndedLink() {
  return (
    <EntryScreen hasShowcase title={<Trans>This link no longer works</Trans>}>
      <Card>
        <Text mb="md" role="status">
          <Trans>
            It is more than a day old, was replaced by a newer one, or the account now has another address.
            You can send a new one from your profile.
          </Trans>
        </Text>
        <ButtonLink to="/identity/profile" size="md" fullWidth>
          <Trans>Go to your profile</Trans>
        </ButtonLink>
      </Card>
    </EntryScreen>
  );
}
