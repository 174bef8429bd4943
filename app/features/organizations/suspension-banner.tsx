import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { useMemberships } from './memberships-provider.tsx';

const SuspensionAlert = lazyPart(() => import('./suspension-alert.tsx'), { isQuiet: true });

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
