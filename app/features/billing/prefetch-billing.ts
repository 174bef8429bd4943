import type { TrpcUtils } from '../../trpc.ts';

/** Prefetches the data of the billing page, when billing is on. */
export async function prefetchBilling(
  { trpc, settings }: { trpc: TrpcUtils; settings: { billingMode: string } },
  organizationId: string,
): Promise<void> {
  if (settings.billingMode === 'off') return;
  const ofOrganization = { organization_id: organizationId };
  await Promise.all([
    trpc.billing.customer.prefetch(ofOrganization),
    trpc.billing.invoices.prefetch(ofOrganization),
    trpc.billing.cost.prefetch(ofOrganization),
    trpc.billing.limits.prefetch(ofOrganization),
  ]);
}
