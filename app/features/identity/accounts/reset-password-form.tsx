import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { PASSWORD_MIN_LENGTH } from '#server/services/identity/accounts/account-rules.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { useLanguage } from '../../../i18n/language/use-language.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { useAccountForm } from './use-account-form.ts';

/** The new password of the account that the link belongs to. */
export function ResetPasswordForm(props: {
  token: string;
  /** Empty until it is known. */
  email: string;
  onChanged: (email: string) => void;
  onEnded: () => void;
}) {
  const { t } = useLingui();
  const { language } = useLanguage();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({
    schema: 'resetPasswordInput',
    toInput: ({ password }) => ({ password, token: props.token, language }),
    send: async (input) => {
      const { email } = await sendToIdentity<'mailLinkResultSchema'>('POST', '/reset-password', input);
      props.onChanged(email);
    },
    onFailure: (code) => code === 'mail_link_invalid' && props.onEnded(),
  });
  return (
    <form {...form.formProps} aria-label={t`Choose a new password`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        {/* Password managers file the new password under this name, and pass over fields of the type `hidden`. */}
        <input type="text" hidden name="email" autoComplete="username" value={props.email} readOnly />
        <PasswordField
          ref={focus}
          name="password"
          size="md"
          label={t`New password`}
          description={t`${plural(PASSWORD_MIN_LENGTH, {
            one: 'At least # character. A few unrelated words are easy to remember and hard to guess.',
            other: 'At least # characters. A few unrelated words are easy to remember and hard to guess.',
          })}`}
          autoComplete="new-password"
          error={form.errors.password}
        />
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Change password</Trans>
        </Button>
      </Stack>
    </form>
  );
}
