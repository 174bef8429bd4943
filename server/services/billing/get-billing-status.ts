import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOwners } from '../organizations/members/find-owners.ts';
import { isAllowed } from '../organizations/rules.ts';
import { toInstant } from '../shared/schema.ts';
import { formatDay } from '../usage/rules.ts';
import { findBillingTerms } from './months/billing-terms.ts';
import { monthOf, monthStart } from './months/month-rules.ts';
import { comingStoragePrice, storagePriceIn } from './months/storage-price-rules.ts';
import { findReadiness } from './require-billing.ts';
import type { BillingStatus } from './schema.ts';

/** Returns the price of storage now, and the one that will replace it; null while it is free and stays so. */
async function findStoragePrice({ db, payments, clock }: App): Promise<BillingStatus['storage_price']> {
  if (!payments) return null;
  const month = monthOf(clock.now());
  const { storagePrices } = await findBillingTerms(db, payments.mode);
  const cents_per_gb_month = storagePriceIn(storagePrices, month) / 1_000;
  const coming = comingStoragePrice(storagePrices, month);
  if (cents_per_gb_month === 0 && coming === null) return null;
  return {
    cents_per_gb_month,
    coming: coming && {
      cents_per_gb_month: coming.millicents / 1_000,
      from: formatDay(monthStart(coming)),
    },
  };
}

/** Whether an open invoice could not be charged. */
async function hasPaymentProblem({ db, payments }: App, organizationId: string): Promise<boolean> {
  if (!payments) return false;
  const unpaid = await db
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('mode', '=', payments.mode)
    .where('status', 'in', ['open', 'uncollectible'])
    .where('dunning_reason', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return unpaid !== undefined;
}

/**
 * Returns the organization's billing status, even when nothing is billed.
 * @throws person_required
 */
export async function getBillingStatus(context: OrganizationContext): Promise<BillingStatus> {
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  requireAction(context, 'billing.read');
  const { app, organization } = context;
  const { readiness, dueAt } = await findReadiness(app.db, app, organization.id);
  return {
    mode: app.payments?.mode ?? 'off',
    readiness,
    set_up_by: toInstant(readiness === 'ready' ? null : dueAt),
    may_manage: isAllowed(organization.permission, 'billing.manage'),
    owners: app.payments ? await findOwners(app.db, organization.id) : [],
    has_payment_problem: await hasPaymentProblem(app, organization.id),
    stripe_publishable_key: app.payments?.publishableKey ?? null,
    storage_price: await findStoragePrice(app),
  };
}
