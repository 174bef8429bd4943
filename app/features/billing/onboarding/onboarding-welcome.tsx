import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { nameOfOrganization } from '../../organizations/name-of-organization.ts';
import { useOrganization, useUser } from '../../organizations/use-organization.ts';
import { PriceList } from '../price-list.tsx';
import { SandboxNotice } from '../sandbox-notice.tsx';
import { OnboardingHead } from './onboarding-head.tsx';

/** Says whose billing is being set up, and what things cost. */
export function OnboardingWelcome({ status, onStart }: { status: BillingStatus; onStart: () => void }) {
  const user = useUser();
  const { organization } = useOrganization();
  const name = nameOfOrganization(organization, user);
  return (
    <Stack gap="lg">
      <OnboardingHead title={<Trans>Welcome</Trans>}>
        <Trans>
          You are setting up billing for <strong>{name}</strong>; to set it up for another organization,
          switch with the dropdown at the top.
        </Trans>
      </OnboardingHead>
      <SandboxNotice />
      <PriceList storagePrice={status.storage_price} />
      <Text size="sm" c="dimmed">
        {status.mode === 'test' ? (
          <Trans>
            The payment provider is in its test mode: only its test cards work, and no money moves.
          </Trans>
        ) : (
          <Trans>
            In Canadian dollars, before taxes. You pay at the start of each month for the previous month.
          </Trans>
        )}
      </Text>
      <Group>
        <Button onClick={onStart}>
          <Trans>Get Started</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
