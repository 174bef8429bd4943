import { Trans } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { leaveFor } from '../leave-for.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { askForPasskey, stopSuggesting, suggestPasskeys, suggestsPasskeys } from './ask-authenticator.ts';

/**
 * Signs in with a passkey: one that the browser suggests for the address, or by the button. Renders nothing
 * in browsers without support.
 */
export function PasskeySignIn(props: { uid: string; onExpired: () => void }) {
  const describe = useErrorMessage();
  const [isSupported, setSupported] = useState(true);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  const signIn = async (isAutofill: boolean) => {
    const path = `/interaction/${props.uid}/passkey`;
    const { options } = await sendToIdentity<'passkeyOptionsSchema'>('POST', `${path}/begin`, {});
    const response = await (isAutofill ? suggestPasskeys : askForPasskey)(options);
    if (response === null) return;
    setPending(true);
    const { redirect_to } = await sendToIdentity<'passkeySignInResultSchema'>('POST', path, {
      answer: response,
    });
    await leaveFor(redirect_to);
  };
  const run = async (isAutofill: boolean) => {
    setFailure(null);
    try {
      await signIn(isAutofill);
    } catch (error) {
      if (readError(error)?.code === 'sign_in_expired') props.onExpired();
      else setFailure(describe(error));
    }
    setPending(false);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is new with each render, and would begin again what must be begun once.
  useEffect(() => {
    if (!('PublicKeyCredential' in window)) return setSupported(false);
    let isGone = false;
    void suggestsPasskeys().then((suggests) => {
      if (suggests && !isGone) void run(true);
    });
    return () => {
      isGone = true;
      stopSuggesting();
    };
  }, []);

  if (!isSupported) return null;
  return (
    <Stack gap="sm" mt="md">
      {failure && <ErrorNotice>{failure}</ErrorNotice>}
      <Button
        variant="default"
        size="md"
        fullWidth
        leftSection={<IconKey size={18} stroke={1.6} aria-hidden />}
        loading={isPending}
        onClick={() => {
          setPending(true);
          void run(false);
        }}
      >
        <Trans>Sign in with a passkey</Trans>
      </Button>
    </Stack>
  );
}
