import { Plural, Trans } from '@lingui/react/macro';
import { Group, Text, ThemeIcon } from '@mantine/core';
import { type Icon, IconBrowser, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CardLink } from '../../components/links.tsx';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './quick-actions.module.css';

/** Cards that lead to sites and CDN, with how many there are. */
export function QuickActions() {
  const { organization } = useOrganization();
  const params = { orgId: organization.id };
  const counts = trpc.sites.counts.useQuery({ organization_id: organization.id }).data;
  return (
    <div className={classes.pair}>
      <CardLink component="a" to="/$orgId/sites" params={params} className={classes.card}>
        <QuickAction
          icon={IconBrowser}
          title={<Trans>Sites</Trans>}
          text={
            counts && counts.sites > 0 ? (
              <Trans>
                <Plural value={counts.sites} one="# site" other="# sites" />, {counts.live_sites} live
              </Trans>
            ) : (
              <Trans>Deploy a folder and see it live in seconds.</Trans>
            )
          }
        />
      </CardLink>
      <CardLink component="a" to="/$orgId/cdn" params={params} className={classes.card}>
        <QuickAction
          icon={IconWorld}
          title={<Trans>CDN</Trans>}
          text={
            counts && counts.endpoints > 0 ? (
              <Trans>
                <Plural value={counts.endpoints} one="# hostname" other="# hostnames" />,{' '}
                {counts.certified_endpoints} with a certificate
              </Trans>
            ) : (
              <Trans>Your own hostnames in front of your sites.</Trans>
            )
          }
        />
      </CardLink>
    </div>
  );
}

function QuickAction(props: { icon: Icon; title: ReactNode; text: ReactNode }) {
  const { icon: ActionIcon, title, text } = props;
  return (
    <Group wrap="nowrap" align="flex-start" gap="md">
      <ThemeIcon size={36} radius="md" variant="light" aria-hidden>
        <ActionIcon size={20} stroke={1.6} />
      </ThemeIcon>
      <div>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
    </Group>
  );
}
