import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Site } from '#server/services/sites/schema.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { MonthUsageCard } from '../../usage/month/month-usage-card.tsx';
import { useMonthUsage } from '../../usage/month/use-month-usage.ts';
import { useSiteParams } from '../use-site-params.ts';
import { SITE_FIGURES } from './site-usage-figures.ts';

const siteRoute = getRouteApi('/$orgId/sites/$siteId');

/** What a site served this month, at its own addresses and at those of its endpoints. */
export function SiteUsage({ site }: { site: Site }) {
  const ofSite = useSiteParams();
  const { usageAsked } = siteRoute.useLoaderData();
  const monthUsage = useMonthUsage(ofSite, usageAsked);
  return (
    <MonthUsageCard
      monthUsage={monthUsage}
      figures={SITE_FIGURES}
      action={
        <AnchorLink
          to="/$orgId/usage"
          params={{ orgId: ofSite.organization_id }}
          search={{ site_id: ofSite.site_id }}
          size="sm"
        >
          <Trans>View all usage</Trans>
        </AnchorLink>
      }
      whenEmpty={() => (
        <Text size="sm" c="dimmed">
          {site.deployed_at === null ? (
            <Trans>No requests yet. Traffic is counted from the first deploy.</Trans>
          ) : (
            <Trans>No requests in the last 30 days. Visits appear here within seconds.</Trans>
          )}
        </Text>
      )}
    />
  );
}
