import { getRouteApi } from '@tanstack/react-router';
import { useOrganization } from '../organizations/use-organization.ts';
import { UsagePanel } from '../usage/usage-panel.tsx';
import { BillingHeader } from './billing-header.tsx';

const billingRoute = getRouteApi('/$orgId/billing/');

/** What the organization uses, and so pays for; period, search and order stand in the address. */
export function BillingPage() {
  const { organization } = useOrganization();
  const { period, search, sort } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  return (
    <>
      <BillingHeader />
      {/* Another organization's figures start afresh: nothing of the one before is shown meanwhile. */}
      <UsagePanel
        key={organization.id}
        organizationId={organization.id}
        period={period ?? 'month'}
        view={{ search, sort }}
        onView={(change) =>
          void navigate({
            search: (before) => ({ ...before, ...change }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </>
  );
}
