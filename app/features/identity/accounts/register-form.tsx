import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { PASSWORD_MIN_LENGTH } from '#server/services/identity/accounts/account-rules.ts';
import type { RegistrationTerms } from '#server/services/identity/schema.ts';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { useLanguage } from '../../../i18n/language/use-language.ts';
import { leaveFor } from '../leave-for.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { useAccountForm } from './use-account-form.ts';
import { useProposedLogin } from './use-proposed-login.ts';

/** Creates an account and signs in with it; the user name is suggested from the address until it is typed. */
export function RegisterForm(props: {
  uid: string;
  email: string;
  terms: RegistrationTerms | undefined;
  onExpired: () => void;
  /** The account was created, and waits for the link that was sent to its address. */
  onAwaiting: (email: string) => void;
}) {
  const { t } = useLingui();
  const { language } = useLanguage();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const proposed = useProposedLogin(props.email);
  const { domains = [] } = props.terms ?? {};
  const form = useAccountForm({
    schema: 'registerAccountInput',
    toInput: (typed) => ({ ...typed, language }),
    send: async (input) => {
      const path = `/interaction/${props.uid}/register`;
      const { redirect_to } = await sendToIdentity<'registrationResultSchema'>('POST', path, input);
      if (redirect_to === null) return props.onAwaiting(input.email);
      await leaveFor(redirect_to);
    },
    onFailure: (code) => code === 'sign_in_expired' && props.onExpired(),
  });
  return (
    <form {...form.formProps} aria-label={t`Create an account`}>
      <Stack gap="md">
        {form.failure && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {form.failure}
          </Alert>
        )}
        <TextInput
          ref={focus}
          name="full_name"
          size="md"
          label={t`Full name`}
          autoComplete="name"
          defaultValue={form.typed.full_name}
          error={form.errors.full_name}
        />
        <TextInput
          name="email"
          type="email"
          size="md"
          label={t`Email`}
          description={domains.length > 0 && t`An address at ${domains.join(', ')}.`}
          autoComplete="email"
          defaultValue={form.typed.email ?? props.email}
          {...proposed.emailProps}
          error={form.errors.email}
        />
        <TextInput
          {...proposed.loginProps}
          name="login"
          size="md"
          label={t`User name`}
          description={t`How teammates see you. Lowercase letters, digits and hyphens.`}
          autoComplete="nickname"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={form.typed.login ?? proposed.initial}
          error={form.errors.login}
        />
        <PasswordField
          name="password"
          size="md"
          label={t`Password`}
          description={t`${plural(PASSWORD_MIN_LENGTH, {
            one: 'At least # character. A few unrelated words are easy to remember and hard to guess.',
            other: 'At least # characters. A few unrelated words are easy to remember and hard to guess.',
          })}`}
          autoComplete="new-password"
          error={form.errors.password}
        />
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Create account</Trans>
        </Button>
      </Stack>
    </form>
  );
}
