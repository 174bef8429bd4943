import type { TrpcUtils } from '../../trpc.ts';

/** Asks ahead for what the billing page shows, where anything is billed. */
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
