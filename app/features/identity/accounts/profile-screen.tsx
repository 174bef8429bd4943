import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { HomeFrame } from '../../frame/home-frame.tsx';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { SecondFactorSection } from '../second-factor/second-factor-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';

/** The signed-in person's account: who they are, and their password. */
export function ProfileScreen() {
  const [user] = trpc.user.me.useSuspenseQuery();
  const { canUsePasskeys } = useSettings();
  return (
    <HomeFrame width="form">
      <PageHeader
        title={<Trans>Your profile</Trans>}
        subtitle={<Trans>How you appear in the console, and how you sign in.</Trans>}
      />
      <Stack gap="lg">
        <SectionCard title={<Trans>Profile</Trans>}>
          <ProfileForm user={user} />
        </SectionCard>
        <SectionCard
          title={<Trans>Change password</Trans>}
          description={<Trans>All your other browsers will be signed out.</Trans>}
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
                Your fingerprint, face or PIN, or a security key, instead of password and code. A page that
                imitates this one cannot use it.
              </Trans>
            }
          >
            <PasskeySection />
          </SectionCard>
        )}
      </Stack>
    </HomeFrame>
  );
}
