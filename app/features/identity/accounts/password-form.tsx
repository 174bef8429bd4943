import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { PASSWORD_MIN_LENGTH } from '#server/services/identity/accounts/account-rules.ts';
import type { User } from '#server/services/identity/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { trpc } from '../../../trpc.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { CurrentPasswordField } from './current-password-field.tsx';
import { useAccountForm } from './use-account-form.ts';

/** The current password and a new one; the rest of the profile is sent unchanged. */
export function PasswordForm({ user }: { user: User }) {
  const { t } = useLingui();
  const utils = trpc.useUtils();
  const [isSaved, showSaved] = useSaved();
  const form = useAccountForm({
    schema: 'updateAccountInput',
    toInput: ({ current_password, new_password }) => ({
      full_name: user.full_name,
      email: user.email,
      avatar_url: user.avatar_url,
      current_password,
      new_password,
    }),
    send: async (input) => {
      await sendToIdentity<'accountSchema'>('PUT', '/profile', input);
      form.formProps.ref.current?.reset();
      await utils.user.sessions.invalidate();
      showSaved();
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Change password`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        {/* Password managers file the new password under this name, and pass over fields of the type `hidden`. */}
        <input type="text" hidden name="username" autoComplete="username" value={user.email} readOnly />
        <CurrentPasswordField error={form.errors.current_password} />
        <PasswordField
          name="new_password"
          label={t`New password`}
          description={t`${plural(PASSWORD_MIN_LENGTH, {
            one: 'At least # character. A few unrelated words are easy to remember and hard to guess.',
            other: 'At least # characters. A few unrelated words are easy to remember and hard to guess.',
          })}`}
          autoComplete="new-password"
          error={form.errors.new_password}
        />
        <Group>
          <Button type="submit" variant="default" loading={form.isPending}>
            <Trans>Change password</Trans>
          </Button>
          <SavedMark isShown={isSaved}>
            <Trans>Password changed</Trans>
          </SavedMark>
        </Group>
      </Stack>
    </form>
  );
}
