import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import { leaveFor } from '../leave-for.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { useTypedAddress } from './use-typed-address.ts';

/**
 * Email and password of an existing account; continues to the second step, or to where the identity service
 * says.
 */
export function SignInForm(props: {
  uid: string;
  email: string;
  onExpired: () => void;
  /** The password was correct, and the account also requires a code. */
  onSecondStep: () => void;
}) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const address = useTypedAddress(focus, props.email);
  const form = useAccountForm({
    schema: 'signInAccountInput',
    send: async (input) => {
      const path = `/interaction/${props.uid}/sign-in`;
      const { redirect_to } = await sendToIdentity<'signInResultSchema'>('POST', path, input);
      if (redirect_to === null) return props.onSecondStep();
      await leaveFor(redirect_to);
    },
    onFailure: (code) => code === 'sign_in_expired' && props.onExpired(),
  });
  return (
    <form {...form.formProps} aria-label={t`Sign in`}>
      <Stack gap="md">
        {form.failure && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {form.failure}
          </Alert>
        )}
        <TextInput
          ref={focus}
          name="email"
          type="email"
          size="md"
          label={t`Email`}
          autoComplete="username webauthn"
          defaultValue={form.typed.email ?? address.initial}
          onInput={address.onInput}
          error={form.errors.email}
        />
        <Stack gap={6}>
          <PasswordField
            name="password"
            size="md"
            label={t`Password`}
            autoComplete="current-password"
            error={form.errors.password}
          />
          <AnchorLink to="/identity/forgot-password" size="sm" style={{ alignSelf: 'flex-end' }}>
            <Trans>Forgot your password?</Trans>
          </AnchorLink>
        </Stack>
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Sign in</Trans>
        </Button>
      </Stack>
    </form>
  );
}
