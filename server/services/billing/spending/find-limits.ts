import type { Selectable } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { SpendingLimitsTable } from '#db/schema/spending-limits.ts';
import type { App } from '#server/context.ts';
import { computeInvoice } from '../invoices/invoice-rules.ts';
import { findBillingTerms, pricesIn } from '../months/billing-terms.ts';
import { type MeasuredUsage, measureMonth, quantitiesOf } from '../months/measure-usage.ts';
import { addMonths, type BillingMonth } from '../months/month-rules.ts';
import type { Prices } from '../months/rating-rules.ts';
import { placeOf } from '../months/tax-place.ts';
import type { Registrations, TaxPlace } from '../months/tax-rules.ts';
import { type Account, findContact } from '../queries.ts';
import { capOf, isSetBy, type Limit, spentOn, totalOf } from './limit-rules.ts';

export type LimitRow = Selectable<SpendingLimitsTable>;

/** A month that stays open for longer is billed with the current limits. */
const PAST_MONTHS_KEPT = 12;

/** When the buyer is unknown, the highest taxes are assumed, so that a limit still holds. */
export const HIGHEST_TAXES: TaxPlace = { country: 'CA', province: 'NB' };

/** Returns the spending limits of an organization, its own first. */
export async function findLimits(executor: Executor, account: Account): Promise<LimitRow[]> {
  const rows = await executor
    .selectFrom('spending_limits')
    .selectAll()
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .orderBy('created_at')
    .execute();
  return ownFirst(rows);
}

function ownFirst(limits: readonly LimitRow[]): LimitRow[] {
  return limits.toSorted((a, b) => Number(b.scope === 'organization') - Number(a.scope === 'organization'));
}

/** Returns the limits as they applied in a month, even a past one: later changes are ignored. */
export async function findLimitsIn(
  executor: Executor,
  account: Account,
  month: BillingMonth,
): Promise<Limit[]> {
  const limits = await findLimitsOfMany(executor, account.mode, [account.organizationId], month);
  return limits.get(account.organizationId) ?? [];
}

/** Returns the same of many organizations; those without a limit have no entry. */
export async function findLimitsOfMany(
  executor: Executor,
  mode: BillingMode,
  organizationIds: readonly string[],
  month: BillingMonth,
): Promise<Map<string, Limit[]>> {
  const past = await executor
    .selectFrom('past_spending_limits')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .where('mode', '=', mode)
    .where('year', '=', month.year)
    .where('month', '=', month.month)
    .execute();
  const current = await executor
    .selectFrom('spending_limits')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .where('mode', '=', mode)
    .orderBy('created_at')
    .execute();
  const held = [
    ...past.map(({ cap_cents, ...limit }) => ({ ...limit, capCents: cap_cents })),
    ...ownFirst(current.filter((limit) => isSetBy(limit, month))).map((limit) => ({
      ...limit,
      capCents: capOf(limit, month),
    })),
  ];
  return new Map(
    [...Map.groupBy(held, ({ organization_id }) => organization_id)].map(([id, limits]) => [
      id,
      limits.map(({ scope, resource_id, action, capCents }) => ({ scope, resource_id, action, capCents })),
    ]),
  );
}

/** Stores a limit as it applied in the months before this one, before it is changed or removed. */
export async function keepPastLimit(trx: Trx, limit: LimitRow, month: BillingMonth): Promise<void> {
  let past = addMonths(month, -1);
  for (let kept = 0; kept < PAST_MONTHS_KEPT && isSetBy(limit, past); kept += 1) {
    const { organization_id, mode, scope, resource_id, action } = limit;
    await trx
      .insertInto('past_spending_limits')
      .values({ organization_id, mode, scope, resource_id, action, ...past, cap_cents: capOf(limit, past) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    past = addMonths(past, -1);
  }
}

/** Returns where the organization pays taxes as far as known. */
export async function findTaxPlace(executor: Executor, account: Account): Promise<TaxPlace> {
  return placeOf(await findContact(executor, account)) ?? HIGHEST_TAXES;
}

/** What spending in a month is calculated from. */
export interface SpendingFacts {
  usage: MeasuredUsage;
  month: BillingMonth;
  place: TaxPlace;
  registrations: Registrations;
  prices: Prices;
}

/** Returns the cents that have been spent under a limit: with taxes for the organization, without for anything else. */
export function spentUnder(
  limit: Pick<LimitRow, 'scope' | 'resource_id'>,
  { usage, month, place, registrations, prices }: SpendingFacts,
): number {
  if (limit.scope !== 'organization') return totalOf(spentOn(usage, limit.scope, limit.resource_id, prices));
  const quantities = quantitiesOf(usage);
  const input = { month, prices, quantities, late: [], cuts: [], place, registrations };
  return computeInvoice(input).totalCents;
}

/**
 * Returns a function that calculates how much has been spent under a limit of an account in the current month, from the same
 * days and prices as its invoice.
 */
export async function measureSpending(
  executor: Executor,
  app: App,
  account: Account,
  month: BillingMonth,
): Promise<(limit: Pick<LimitRow, 'scope' | 'resource_id'>) => number> {
  const terms = await findBillingTerms(executor, account.mode);
  const usage = await measureMonth(executor, app, account.organizationId, {
    ...{ month, terms, until: app.clock.now() },
  });
  const place = await findTaxPlace(executor, account);
  const { registrations } = app.config.billing;
  const prices = pricesIn(terms, month);
  return (limit) => spentUnder(limit, { usage, month, place, registrations, prices });
}
