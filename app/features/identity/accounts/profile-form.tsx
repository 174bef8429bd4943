import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { trpc } from '../../../trpc.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { CurrentPasswordField } from './current-password-field.tsx';
import { EmailVerification } from './email-verification.tsx';
import { ACCOUNT_KEY } from './use-account.ts';
import { useAccountForm } from './use-account-form.ts';

/** Name, user name, address and picture; a new address needs the current password. */
export function ProfileForm({ user }: { user: User }) {
  const { t } = useLingui();
  const utils = trpc.useUtils();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState(user.email);
  const [isSaved, showSaved] = useSaved();
  const isNewEmail = email.trim().toLowerCase() !== user.email.toLowerCase();
  const form = useAccountForm({
    schema: 'updateAccountInput',
    draft: `profile ${user.id}`,
    send: async (input) => {
      const saved = await sendToIdentity<'accountSchema'>('PUT', '/profile', input);
      queryClient.setQueryData(ACCOUNT_KEY, saved);
      await utils.user.me.invalidate();
      await utils.organizations.invalidate();
      showSaved();
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Profile`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Avatar src={user.avatar_url} name={user.full_name || user.login} size={56} />
        <TextInput
          name="full_name"
          label={t`Full name`}
          autoComplete="name"
          defaultValue={user.full_name}
          error={form.errors.full_name}
        />
        <TextInput
          name="login"
          label={t`User name`}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={user.login}
          error={form.errors.login}
        />
        <TextInput
          name="email"
          type="email"
          label={t`Email`}
          autoComplete="email"
          defaultValue={user.email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={form.errors.email}
        />
        {!isNewEmail && <EmailVerification />}
        {isNewEmail && (
          <CurrentPasswordField
            description={t`To change your email address, confirm with your password.`}
            error={form.errors.current_password}
          />
        )}
        <TextInput
          name="avatar_url"
          type="url"
          label={t`Picture address`}
          description={t`The address of an image on the web, beginning with https://. Leave it empty to show your initials.`}
          autoComplete="photo"
          defaultValue={user.avatar_url ?? ''}
          error={form.errors.avatar_url}
        />
        <Group>
          <Button type="submit" loading={form.isPending}>
            <Trans>Save profile</Trans>
          </Button>
          <SavedMark isShown={isSaved}>
            <Trans>Profile saved</Trans>
          </SavedMark>
        </Group>
      </Stack>
    </form>
  );
}
