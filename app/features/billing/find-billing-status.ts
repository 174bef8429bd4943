import { mayCreate } from '#server/services/billing/rules.ts';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { isUnauthenticated } from '../../i18n/errors/read-error.ts';
import type { RouterContext } from '../../router.tsx';

type Known = Pick<RouterContext, 'trpc' | 'settings'>;

/**
 * Whether an organization's pages can be opened: its billing is set up, it still has time for that, or
 * billing is off. A failed lookup opens nothing. No one is redirected because of a cached response.
 */
export async function isBillingOpen({ trpc, settings }: Known, organizationId: string) {
  if (settings.billingMode === 'off') return true;
  const input = { organization_id: organizationId };
  const known = trpc.billing.status.getData(input);
  if (known && mayCreate(known.readiness)) {
    void trpc.billing.status.prefetch(input);
    return true;
  }
  const status = await findBillingStatus({ trpc }, organizationId);
  return status !== null && mayCreate(status.readiness);
}

/** Returns an organization's current billing status, or null when the lookup fails. */
export async function findBillingStatus(
  { trpc }: Pick<RouterContext, 'trpc'>,
  organizationId: string,
): Promise<BillingStatus | null> {
  return trpc.billing.status
    .fetch({ organization_id: organizationId }, { staleTime: 0 })
    .catch((error: unknown) => {
      if (isUnauthenticated(error)) throw error;
      return null;
    });
}
