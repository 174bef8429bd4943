import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSettings } from '../../use-settings.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { UsagePanel } from '../usage/usage-panel.tsx';
import { BillingHeader } from './billing-header.tsx';
import { BillingOff } from './billing-off.tsx';
import { CostCard } from './cost-card.tsx';
import { CustomerSection } from './customer-section.tsx';
import { InvoiceHistory } from './invoices/invoice-history.tsx';
import { PaymentProblems } from './payment-methods/payment-problems.tsx';
import { SandboxNotice } from './sandbox-notice.tsx';
import { SpendingLimitsCard } from './spending/spending-limits-card.tsx';

const billingRoute = getRouteApi('/$orgId/billing/');

/** What the organization uses and pays for, and how; period, search and order are in the address. */
export function BillingPage() {
  const { organization } = useOrganization();
  const { period, search, sort } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const isOff = useSettings().billingMode === 'off';
  const usage = (
    <UsagePanel
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
  );
  return (
    <>
      <BillingHeader />
      {/* Another organization's figures start afresh: nothing of the one before is shown meanwhile. */}
      {isOff ? (
        <Stack key={organization.id} gap="lg">
          <BillingOff />
          {usage}
        </Stack>
      ) : (
        <Stack key={organization.id} gap="xl">
          <SandboxNotice />
          <PaymentProblems organizationId={organization.id} />
          <CostCard />
          {usage}
          <SpendingLimitsCard />
          <CustomerSection />
          <InvoiceHistory organizationId={organization.id} />
        </Stack>
      )}
    </>
  );
}
