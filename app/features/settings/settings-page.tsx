import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page/page-header.tsx';
import { LanguageCard } from './language-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** Who is signed in, in which language, and where. */
export function SettingsPage() {
  return (
    <>
      <PageHeader
        title={<Trans>Settings</Trans>}
        subtitle={<Trans>These settings are yours: they are the same in every organization.</Trans>}
      />
      <Stack gap="lg">
        <ProfileCard />
        <LanguageCard />
        <SessionsCard />
      </Stack>
    </>
  );
}
