import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, ThemeIcon } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { ButtonLink } from '../../../components/links.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { OnboardingHead } from './onboarding-head.tsx';

/** Says that everything is set up, and leads on without a way back into onboarding. */
export function OnboardingComplete({ returnPath }: { returnPath: string | null }) {
  const { organization } = useOrganization();
  const router = useRouter();
  const goBack = (event: MouseEvent) => {
    if (returnPath === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate({ href: returnPath, replace: true });
  };
  return (
    <Stack gap="lg">
      <Group gap="md" wrap="nowrap" align="flex-start">
        <ThemeIcon size={44} radius="xl" color="green" variant="light" aria-hidden>
          <IconCheck size={24} stroke={2} />
        </ThemeIcon>
        <OnboardingHead title={<Trans>All Set!</Trans>}>
          <Trans>
            Billing is set up. At the start of each month, you get an invoice for the previous month’s usage.
          </Trans>
        </OnboardingHead>
      </Group>
      <Group gap="sm">
        <ButtonLink to="/$orgId" params={{ orgId: organization.id }} replace>
          <Trans>Go to Dashboard</Trans>
        </ButtonLink>
        {returnPath && (
          <Button component="a" href={returnPath} variant="default" onClick={goBack}>
            <Trans>Back to where you were</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}
