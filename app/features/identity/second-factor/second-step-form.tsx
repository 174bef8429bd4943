import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import { leaveFor } from '../leave-for.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';

/** The code of the authenticator app, or a recovery code, after a correct password. */
export function SecondStepForm(props: { uid: string; onExpired: () => void }) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const [used, setUsed] = useState<{ left: number; next: string } | null>(null);
  const form = useAccountForm({
    schema: 'secondFactorCodeInput',
    send: async (input) => {
      const path = `/interaction/${props.uid}/second-step`;
      const response = await sendToIdentity<'secondStepResultSchema'>('POST', path, input);
      if (response.recovery_codes_left !== null) {
        setUsed({ left: response.recovery_codes_left, next: response.redirect_to });
        return;
      }
      await leaveFor(response.redirect_to);
    },
    onFailure: (code) => code === 'sign_in_expired' && props.onExpired(),
  });
  if (used) return <UsedRecoveryCode {...used} />;
  return (
    <form {...form.formProps} aria-label={t`Two-step sign-in`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <TextInput
          ref={focus}
          name="code"
          size="md"
          label={t`Code`}
          description={t`The six digits that your authenticator app shows, or one of your recovery codes.`}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          error={form.errors.code}
        />
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Continue</Trans>
        </Button>
        <Text size="sm" c="dimmed">
          <Trans>If you have neither the app nor the codes, ask the operator of this installation.</Trans>
        </Text>
      </Stack>
    </form>
  );
}

/** A recovery code works once: a person with few left should know it now. */
function UsedRecoveryCode({ left, next }: { left: number; next: string }) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLAnchorElement>();
  return (
    <Stack gap="md">
      <Text role="status">
        {t`${plural(left, {
          one: 'This recovery code is used up. # code is left; you can create new ones in your profile.',
          other: 'This recovery code is used up. # codes are left; you can create new ones in your profile.',
        })}`}
      </Text>
      <Button component="a" href={next} ref={focus} size="md" fullWidth>
        <Trans>Continue</Trans>
      </Button>
    </Stack>
  );
}
