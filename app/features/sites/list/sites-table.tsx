import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Skeleton } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Site } from '#server/services/sites/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { StoppedBadge } from '../../billing/spending/stopped-badge.tsx';
import { useStops } from '../../billing/spending/use-spending-limits.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { hostOf } from '../site-host.ts';
import { SitePicture } from '../site-picture.tsx';
import { SuspendedBadge } from '../suspended-badge.tsx';
import classes from './sites-table.module.css';

/** Sites by name: each links to its page and to its address on the web. */
export function SitesTable({ sites }: { sites: Site[] }) {
  const isStopped = useStops(useOrganization().organization.id);
  return (
    <SitesTableFrame>
      {sites.map((site) => (
        <SiteRow key={site.id} site={site} isStopped={isStopped(site.id)} />
      ))}
    </SitesTableFrame>
  );
}

/** The table before its rows. */
export function SitesTableSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <Skeleton height={36} mb="md" maw={320} />
      <Card padding={0} aria-busy aria-label={t`Loading`} role="status">
        <SitesTableFrame>
          {[180, 120, 150, 110].map((width) => (
            <tr key={width} className={classes.row}>
              <td>
                <div className={classes.recognised}>
                  <Skeleton className={classes.picture} />
                  <div className={classes.words}>
                    <Skeleton height={14} width={width} maw="100%" my={4} />
                    <Skeleton height={12} width={width + 60} maw="100%" my={4} />
                    <Skeleton height={12} width={110} my={4} />
                  </div>
                </div>
              </td>
              <td className={classes.type}>
                <Skeleton height={18} width={44} />
              </td>
              <td className={classes.actions}>
                <Skeleton height={28} width={28} ml="auto" />
              </td>
            </tr>
          ))}
        </SitesTableFrame>
      </Card>
    </>
  );
}

/**
 * Plain elements with styles of their own: a list has fifty rows and more, and rendering components on the server would cost several
 * times as much; in the browser Mantine's table brings scroll areas along.
 */
function SitesTableFrame({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label={t`Sites`}>
        <thead>
          <tr>
            <th>
              <Trans>Site</Trans>
            </th>
            <th className={classes.type}>
              <Trans>Type</Trans>
            </th>
            <th className={`${classes.actions} screen-only`}>
              <Trans>Actions</Trans>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function SiteRow({ site, isStopped }: { site: Site; isStopped: boolean }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const params = { orgId: organization.id, siteId: site.id };
  const { name } = site;
  return (
    <tr className={classes.row}>
      <td className={classes.site}>
        <div className={classes.recognised}>
          <SitePicture site={site} />
          <div className={classes.words}>
            <Link to="/$orgId/sites/$siteId" params={params} className={classes.name}>
              {name}
            </Link>
            <a href={site.subdomain_url} target="_blank" rel="noreferrer" className={classes.address}>
              {hostOf(site.subdomain_url)}
            </a>
            <div className={classes.deployed}>
              {site.deployed_at === null ? (
                <Trans>Not deployed yet</Trans>
              ) : (
                <Trans>
                  Last deployed: <TimeAgo instant={site.deployed_at} />
                </Trans>
              )}
            </div>
          </div>
        </div>
      </td>
      <td className={classes.type}>
        <span className={classes.badge}>
          <Trans>static</Trans>
        </span>{' '}
        {site.suspended_at !== null ? <SuspendedBadge /> : isStopped && <StoppedBadge />}
      </td>
      <td className={`${classes.actions} screen-only`}>
        <Link
          to="/$orgId/sites/$siteId"
          params={params}
          className={classes.settings}
          aria-label={t`Settings of ${name}`}
          title={t`Settings of ${name}`}
        >
          <IconSettings size={18} stroke={1.6} />
        </Link>
      </td>
    </tr>
  );
}
