import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { AnchorLink } from '../../components/links.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { MonthUsageCard } from '../usage/month/month-usage-card.tsx';
import { MostUsed } from '../usage/month/most-used.tsx';
import { useMonthUsage } from '../usage/month/use-month-usage.ts';
import { DASHBOARD_FIGURES } from './dashboard-figures.ts';
import { NoTraffic } from './no-traffic.tsx';

const route = getRouteApi('/$orgId/');

/**
 * What the organization served this month, and the busiest endpoint or site; before the first request, the
 * next step towards it.
 */
export function UsageCard() {
  const { organization } = useOrganization();
  const { usageAsked } = route.useLoaderData();
  const monthUsage = useMonthUsage({ organization_id: organization.id }, usageAsked);
  return (
    <MonthUsageCard
      monthUsage={monthUsage}
      figures={DASHBOARD_FIGURES}
      action={
        <AnchorLink to="/$orgId/usage" params={{ orgId: organization.id }} size="sm">
          <Trans>View all usage</Trans>
        </AnchorLink>
      }
      whenEmpty={(usage) => <NoTraffic hasSites={usage.month.active_sites > 0} />}
      mostUsed={({ month }) => {
        const [first] = month.resources;
        return first && <MostUsed resource={first} organizationId={organization.id} />;
      }}
    />
  );
}
