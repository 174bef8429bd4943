import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { Site } from '#server/services/sites/schema.ts';
import { ButtonLink } from '../../../components/links.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { useRestoreSite } from './use-restore-site.ts';

/** The page of a site that was deleted in another window or by another person: a link back, and undo. */
export function SiteGone({ site }: { site: Site }) {
  const { organization, can } = useOrganization();
  const { restoreSite, isPending } = useRestoreSite(site);
  const { name } = site;
  return (
    <Stack align="flex-start" gap="md" maw={560} role="alert">
      <Title order={1}>
        <Trans>{name} was deleted</Trans>
      </Title>
      <Text c="dimmed">
        <Trans>
          It was deleted in another window or by someone else, and is no longer served. It can be restored for
          seven days.
        </Trans>
      </Text>
      <Group gap="xs">
        {can('site.delete') && (
          <Button onClick={() => void restoreSite()} loading={isPending}>
            <Trans>Restore it</Trans>
          </Button>
        )}
        <ButtonLink
          to="/$orgId/sites"
          params={{ orgId: organization.id }}
          activeOptions={{ exact: true }}
          variant="default"
        >
          <Trans>Back to Sites</Trans>
        </ButtonLink>
      </Group>
    </Stack>
  );
}
