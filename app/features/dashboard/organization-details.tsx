import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Button, Group } from '@mantine/core';
import { IconArrowUpRight, IconUsers } from '@tabler/icons-react';
import type { Organization } from '#server/services/organizations/schema.ts';
import { Facts } from '../../components/facts.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { NewTabHint } from '../../components/new-tab-hint.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useManagedHandle } from '../organizations/profile/use-managed-handle.ts';

/**
 * What the organization says about itself, each line only if present, and its public page on the code host.
 */
export function OrganizationDetails({ organization }: { organization: Organization }) {
  const { t } = useLingui();
  const { name, description, website, location, public_url: publicUrl } = organization;
  const handle = useManagedHandle(organization);
  const facts = [
    { name: t`Name`, value: name },
    description && { name: t`Description`, value: description },
    website && { name: t`Website`, value: <Website address={website} /> },
    location && { name: t`Location`, value: location },
  ].filter((fact) => typeof fact === 'object' && fact !== null);
  return (
    <SectionCard
      title={<Trans>Organization details</Trans>}
      action={
        <Group gap="xs">
          {handle !== null && (
            <ButtonLink
              to="/identity/organizations/$handle"
              params={{ handle }}
              search={{ tab: 'members' }}
              variant="default"
              leftSection={<IconUsers size={16} stroke={1.6} aria-hidden />}
            >
              <Trans>Members</Trans>
            </ButtonLink>
          )}
          {publicUrl && (
            <Button
              component="a"
              href={publicUrl}
              target="_blank"
              rel="noreferrer"
              variant="default"
              rightSection={<IconArrowUpRight size={16} aria-hidden />}
            >
              <Trans>View organization</Trans>
              <NewTabHint />
            </Button>
          )}
        </Group>
      }
    >
      <Facts facts={facts} />
    </SectionCard>
  );
}

/** Only web addresses become links: the organization's owner types this, other members click it. */
function Website({ address }: { address: string }) {
  if (!/^https?:\/\//i.test(address)) return address;
  return (
    <Anchor href={address} target="_blank" rel="noreferrer" size="sm">
      {address}
    </Anchor>
  );
}
