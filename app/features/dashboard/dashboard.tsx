import { Trans } from '@lingui/react/macro';
import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconArrowUpRight, IconWorld, IconWorldWww } from '@tabler/icons-react';
import { isPersonal } from '#server/services/organizations/rules.ts';
import { CardLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useOrganization, useUser } from '../organizations/use-organization.ts';

/** Greets a person at home, or introduces the organization; quick actions lead to sites and CDN. */
export function Dashboard() {
  const user = useUser();
  const { organization } = useOrganization();
  const name = user.full_name || user.login;
  const params = { orgId: organization.id };
  return (
    <>
      {isPersonal(organization.external_id) ? (
        <PageHeader
          title={<Trans>Hello, {name}</Trans>}
          subtitle={<Trans>Your personal workspace: what you host, in one place.</Trans>}
        />
      ) : (
        <PageHeader title={organization.name} subtitle={organization.description ?? undefined} />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <CardLink component="a" to="/$orgId/sites" params={params}>
          <QuickAction
            icon={<IconWorldWww size={22} stroke={1.6} />}
            title={<Trans>Sites</Trans>}
            text={<Trans>Deploy a folder and see it live in seconds.</Trans>}
          />
        </CardLink>
        <CardLink component="a" to="/$orgId/cdn" params={params}>
          <QuickAction
            icon={<IconWorld size={22} stroke={1.6} />}
            title={<Trans>CDN</Trans>}
            text={<Trans>Your own host names in front of your sites.</Trans>}
          />
        </CardLink>
      </SimpleGrid>
      {!isPersonal(organization.external_id) && organization.website && (
        <Group mt="lg">
          <Button
            component="a"
            href={organization.website}
            target="_blank"
            rel="noreferrer"
            variant="default"
            rightSection={<IconArrowUpRight size={16} />}
          >
            <Trans>Website</Trans>
          </Button>
        </Group>
      )}
    </>
  );
}

function QuickAction(props: { icon: React.ReactNode; title: React.ReactNode; text: React.ReactNode }) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="md">
      {props.icon}
      <Stack gap={2}>
        <Title order={2}>{props.title}</Title>
        <Text size="sm" c="dimmed">
          {props.text}
        </Text>
      </Stack>
    </Group>
  );
}
