import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { isStoppedBy } from './limit-state.ts';

/** How often limits are looked at again while the page is in view. */
const GROWING_MS = 60_000;

/**
 * Returns the spending limits of an organization with what was spent under each; when billing is off, nothing
 * is requested.
 */
export function useSpendingLimits(organizationId: string) {
  const isBilled = useSettings().billingMode !== 'off';
  return trpc.billing.limits.useQuery(
    { organization_id: organizationId },
    { enabled: isBilled, refetchInterval: GROWING_MS },
  );
}

/**
 * Returns a function that says whether a site or an endpoint (with its site) is not served because of a
 * spending limit.
 */
export function useStops(organizationId: string): (...resourceIds: (string | null)[]) => boolean {
  const { data = [] } = useSpendingLimits(organizationId);
  return (...resourceIds) => isStoppedBy(data, resourceIds);
}
