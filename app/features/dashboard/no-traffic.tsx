import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { IconArrowUpRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ButtonLink } from '../../components/links.tsx';
import { NewTabHint } from '../../components/new-tab-hint.tsx';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './no-traffic.module.css';
import { recentDeploysInput } from './recent-deploys-input.ts';

/** Before the first request: what will appear here, and the next step towards it. */
export function NoTraffic({ hasSites }: { hasSites: boolean }) {
  const { organization, can } = useOrganization();
  const deploys = trpc.deployments.recent.useQuery(recentDeploysInput(organization.id));
  const latest = deploys.data?.find((deploy) => deploy.is_current)?.site;
  if (latest) {
    const { name } = latest;
    return (
      <Step
        action={
          <Button
            component="a"
            href={latest.subdomain_url}
            target="_blank"
            rel="noreferrer"
            variant="light"
            maw="100%"
            classNames={{ root: classes.visit, label: classes.visited }}
            rightSection={<IconArrowUpRight size={16} aria-hidden />}
          >
            <Trans>Visit {name}</Trans>
            <NewTabHint />
          </Button>
        }
      >
        <Trans>No requests in the last 30 days. Visits to your sites appear here within seconds.</Trans>
      </Step>
    );
  }
  return (
    <Step
      action={
        can('deployment.create') && (
          <ButtonLink
            to="/$orgId/sites"
            params={{ orgId: organization.id }}
            search={hasSites ? {} : { create: true }}
            variant="light"
          >
            {hasSites ? <Trans>Deploy a site</Trans> : <Trans>Create a site</Trans>}
          </ButtonLink>
        )
      }
    >
      <Trans>
        No requests yet. Once a site is deployed, its bandwidth, requests and cache hit rate appear here
        within seconds.
      </Trans>
    </Step>
  );
}

function Step({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div className={classes.step}>
      <Text size="sm" c="dimmed" className={classes.words}>
        {children}
      </Text>
      {action}
    </div>
  );
}
