import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack, TextInput } from '@mantine/core';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useLanguage } from '../../../i18n/language/use-language.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useTypedAddress } from '../sign-in/use-typed-address.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { useAccountForm } from './use-account-form.ts';

/** The address of the account whose password is forgotten. */
export function ForgotPasswordForm({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useLingui();
  const { language } = useLanguage();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const address = useTypedAddress(focus);
  const form = useAccountForm({
    schema: 'requestPasswordResetInput',
    toInput: (typed) => ({ ...typed, language }),
    send: async (input) => {
      await sendToIdentity<'emptyResultSchema'>('POST', '/forgot-password', input);
      onSent(input.email);
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Forgot your password?`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <TextInput
          ref={focus}
          name="email"
          type="email"
          size="md"
          label={t`Email`}
          autoComplete="username"
          defaultValue={form.typed.email ?? address.initial}
          onInput={address.onInput}
          error={form.errors.email}
        />
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Send the link</Trans>
        </Button>
      </Stack>
    </form>
  );
}
