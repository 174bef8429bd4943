import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { useMemberships } from '../organizations/memberships-provider.tsx';

/** For the time of grace, and for invoices that could not be charged: few pages need it. */
const BillingAlert = lazyPart(() => import('./billing-alert.tsx'), { isQuiet: true });

/**
 * Tells organizations that existed before billing was turned on by when they must set it up, and those with an
 * invoice that could not be charged about it; renders nothing for others.
 */
export function BillingNotice() {
  const { billingMode } = useSettings();
  const { membership } = useMemberships();
  const organizationId = membership?.organization.id ?? '';
  const { data: status } = trpc.billing.status.useQuery(
    { organization_id: organizationId },
    { enabled: billingMode !== 'off' && membership !== null, retry: false },
  );
  if (!status?.set_up_by && !status?.has_payment_problem) return null;
  return (
    <Suspense fallback={null}>
      <BillingAlert organizationId={organizationId} status={status} />
    </Suspense>
  );
}
