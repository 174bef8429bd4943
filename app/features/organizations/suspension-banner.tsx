import { lazy, Suspense } from 'react';
import { useMemberships } from './memberships-provider.tsx';

const SuspensionAlert = lazy(() => import('./suspension-alert.tsx'));

/**
 * Says on every page of an organization that an operator has suspended it, and why. Renders nothing
 * otherwise.
 */
export function SuspensionBanner() {
  const { membership } = useMemberships();
  if (!membership || membership.organization.suspended_at === null) return null;
  return (
    <Suspense fallback={null}>
      <SuspensionAlert reason={membership.organization.suspension_reason} />
    </Suspense>
  );
}
