import { mayCreate } from '#server/services/billing/rules.ts';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { isUnauthenticated } from '../../i18n/read-error.ts';
import type { RouterContext } from '../../router.tsx';

type Known = Pick<RouterContext, 'trpc' | 'settings'>;

/**
 * Whether the pages of an organization open: its billing is set up, it still has time for it, or nothing is billed here. A
 * look-up that fails opens nothing (spec/console.md, section 2). Nobody is sent away by an answer that may be old.
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

/** Returns where an organization stands now, or null when the look-up fails. */
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
