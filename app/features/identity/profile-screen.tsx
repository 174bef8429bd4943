import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { AnchorLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { EntryScreen } from '../sign-in/entry-screen.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';

/** The signed-in person's account: who they are, and their password. */
export function ProfileScreen() {
  const [user] = trpc.user.me.useSuspenseQuery();
  const { canUsePasskeys } = useSettings();
  const utils = trpc.useUtils();
  const updateSettings = trpc.user.updateSettings.useMutation({
    onSuccess: (saved) => utils.user.me.setData(undefined, saved),
  });
  return (
    <EntryScreen
      isWide
      preference={user.language_preference}
      title={<Trans>Your profile</Trans>}
      subtitle={<Trans>How you appear in the console, and how you sign in.</Trans>}
      aside={
        <AnchorLink to="/">
          <Trans>Back to the console</Trans>
        </AnchorLink>
      }
      onLanguageChange={(language) => updateSettings.mutate({ language_preference: language })}
    >
      <Stack gap="lg">
        <SectionCard title={<Trans>Profile</Trans>}>
          <ProfileForm user={user} />
        </SectionCard>
        <SectionCard
          title={<Trans>Change password</Trans>}
          description={<Trans>Every other browser that is signed in as you is signed out.</Trans>}
        >
          <PasswordForm user={user} />
        </SectionCard>
        <SectionCard
          title={<Trans>Two-step sign-in</Trans>}
          description={<Trans>A code from an app on your phone, after your password.</Trans>}
        >
          <SecondFactorSection />
        </SectionCard>
        {canUsePasskeys && (
          <SectionCard
            title={<Trans>Passkeys</Trans>}
            description={
              <Trans>
                Your fingerprint, face or PIN, or a security key, instead of password and code. No page that
                imitates this one can ask for it.
              </Trans>
            }
          >
            <PasskeySection />
          </SectionCard>
        )}
      </Stack>
    </EntryScreen>
  );
}
