import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { TotpSetup as Setup } from '#server/services/identity/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { CurrentPasswordField } from '../accounts/current-password-field.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';

/** Needed once in the life of an account. */
const QrCode = lazyPart(() => import('../../../components/qr-code.tsx'));

/** Sets up an authenticator app: first the password, then the secret for the app and a code that it shows. */
export function TotpSetup(props: { onCodes: (codes: readonly string[]) => void; onCancel: () => void }) {
  const [setup, setSetup] = useState<Setup | null>(null);
  return setup ? (
    <ConfirmStep setup={setup} {...props} />
  ) : (
    <PasswordStep onSetup={setSetup} onCancel={props.onCancel} />
  );
}

function PasswordStep(props: { onSetup: (setup: Setup) => void; onCancel: () => void }) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({
    schema: 'beginTotpInput',
    send: async (input) => {
      props.onSetup(await sendToIdentity<'totpSetupSchema'>('POST', '/profile/second-factor/begin', input));
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Set up two-step sign-in`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <CurrentPasswordField ref={focus} error={form.errors.current_password} />
        <FormActions submit={<Trans>Continue</Trans>} isPending={form.isPending} onCancel={props.onCancel} />
      </Stack>
    </form>
  );
}

function ConfirmStep(props: {
  setup: Setup;
  onCodes: (codes: readonly string[]) => void;
  onCancel: () => void;
}) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({
    schema: 'secondFactorCodeInput',
    send: async (input) => {
      const path = '/profile/second-factor/confirm';
      props.onCodes((await sendToIdentity<'recoveryCodesSchema'>('POST', path, input)).recovery_codes);
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Confirm two-step sign-in`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Text size="sm">
          <Trans>
            Scan this image with your authenticator app, enter the key, or{' '}
            <Anchor underline="always" href={props.setup.link} inherit>
              open the app on this device
            </Anchor>
            . Then enter the code that it shows.
          </Trans>
        </Text>
        <Suspense fallback={<Skeleton height={176} width={176} />}>
          <QrCode text={props.setup.link} label={t`QR code of the key`} />
        </Suspense>
        <CopyLine
          value={props.setup.secret.replace(/(.{4})(?=.)/g, '$1 ')}
          label={t`Copy the key for the app`}
          wraps
        />
        <TextInput
          ref={focus}
          name="code"
          label={t`Code`}
          autoComplete="one-time-code"
          inputMode="numeric"
          error={form.errors.code}
        />
        <FormActions submit={<Trans>Continue</Trans>} isPending={form.isPending} onCancel={props.onCancel} />
      </Stack>
    </form>
  );
}
