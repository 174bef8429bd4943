import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Skeleton, Text } from '@mantine/core';
import { IconArrowUpRight } from '@tabler/icons-react';
import { AnchorLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './recent-sites.module.css';
import { recentSitesInput } from './recent-sites-input.ts';

/** The most recently deployed sites, each with its live address. */
export function RecentSites() {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const params = { orgId: organization.id };
  const sites = trpc.sites.list.useQuery(recentSitesInput(organization.id));
  const recent = sites.data?.items ?? [];
  return (
    <SectionCard
      title={<Trans>Recently deployed</Trans>}
      action={
        <AnchorLink to="/$orgId/sites" params={params} size="sm">
          <Trans>All sites</Trans>
        </AnchorLink>
      }
    >
      {sites.isPending && <RecentSkeleton />}
      {sites.error && (
        <Text size="sm" c="red" role="alert">
          {describe(sites.error)}
        </Text>
      )}
      {sites.data && recent.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Nothing has been deployed yet. Your latest deploys appear here.</Trans>
        </Text>
      )}
      {recent.length > 0 && (
        <ul className={classes.list}>
          {recent.map((site) => {
            const { name } = site;
            return (
              <li key={site.id} className={classes.row}>
                <AnchorLink
                  to="/$orgId/sites/$siteId"
                  params={{ ...params, siteId: site.id }}
                  className={classes.name}
                >
                  {name}
                </AnchorLink>
                <Text size="sm" c="dimmed" component="span" className={classes.when}>
                  {site.deployed_at && <TimeAgo instant={site.deployed_at} />}
                </Text>
                <Anchor
                  href={site.subdomain_url}
                  target="_blank"
                  rel="noreferrer"
                  size="sm"
                  aria-label={t`Visit ${name} (opens in a new tab)`}
                  className={classes.visit}
                >
                  <Trans>Visit</Trans>
                  <IconArrowUpRight size={15} aria-hidden />
                </Anchor>
              </li>
            );
          })}
        </ul>
      )}
    </SectionCard>
  );
}

function RecentSkeleton() {
  return (
    <div role="status" aria-busy>
      <span className="visually-hidden">
        <Trans>Loading</Trans>
      </span>
      {['first', 'second', 'third'].map((key) => (
        <div key={key} className={classes.row}>
          <Skeleton height={16} width="40%" />
          <Skeleton height={14} width={90} ml="auto" />
        </div>
      ))}
    </div>
  );
}
