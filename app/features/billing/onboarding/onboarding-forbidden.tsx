import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Stack, Text } from '@mantine/core';
import { nameOfOrganization } from '../../organizations/name-of-organization.ts';
import { useOrganization, useUser } from '../../organizations/use-organization.ts';
import { OnboardingHead } from './onboarding-head.tsx';

/** Tells a person who may not set up billing who can. */
export function OnboardingForbidden({ owners }: { owners: readonly string[] }) {
  const { i18n } = useLingui();
  const { organization } = useOrganization();
  const name = nameOfOrganization(organization, useUser());
  const names = new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(owners);
  return (
    <Card>
      <Stack gap="md">
        <OnboardingHead title={<Trans>Billing is not set up</Trans>}>
          <Trans>
            You cannot open <strong>{name}</strong> until an owner sets up its billing. Everything it hosts
            keeps working.
          </Trans>
        </OnboardingHead>
        <Text>
          {names === '' ? <Trans>Ask an owner of the organization.</Trans> : <Trans>Ask {names}.</Trans>}{' '}
          <Trans>You can switch to another organization with the dropdown at the top.</Trans>
        </Text>
      </Stack>
    </Card>
  );
}
