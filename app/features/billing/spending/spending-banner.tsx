import { Suspense } from 'react';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { useMemberships } from '../../organizations/memberships-provider.tsx';
import { limitsToTell } from './limit-state.ts';
import { useSpendingLimits } from './use-spending-limits.ts';

/** Few organizations are near a limit: its words come when one is. */
const SpendingAlert = lazyPart(() => import('./spending-alert.tsx'), { isQuiet: true });

/**
 * Says on every page of an organization which spending limits are reached or nearly so. Renders nothing
 * otherwise.
 */
export function SpendingBanner() {
  const { membership } = useMemberships();
  return membership && <Banner organizationId={membership.organization.id} />;
}

function Banner({ organizationId }: { organizationId: string }) {
  const { data = [] } = useSpendingLimits(organizationId);
  const told = limitsToTell(data);
  if (told.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <SpendingAlert organizationId={organizationId} told={told} />
    </Suspense>
  );
}
