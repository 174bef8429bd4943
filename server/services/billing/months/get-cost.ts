import type { App, OrganizationContext } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import type { Cost } from '../invoices/schema.ts';
import { toAdjustments, toLimitCuts, toMonthFigures } from '../invoices/to-invoice.ts';
import { type Account, findContact } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import { findLimitsIn } from '../spending/find-limits.ts';
import { limitSnapshot } from '../spending/limit-snapshot.ts';
import { findBillingTerms } from './billing-terms.ts';
import { forecastQuantity } from './forecast-rules.ts';
import { measureStored } from './measure-usage.ts';
import { type BillingMonth, monthOf } from './month-rules.ts';
import { recomputeInvoice, type Snapshot } from './snapshot.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { placeOf } from './tax-place.ts';
import { NOWHERE } from './tax-rules.ts';

/**
 * Returns what the running month costs so far, by the same computation that makes the invoice, and what it will cost if it goes
 * on like this: sites, endpoints and what is stored as they are, bytes and requests by the time that has passed, up to the spending
 * limits.
 * @throws billing_off, person_required
 */
export async function getCost(context: OrganizationContext): Promise<Cost> {
  const { account } = requireBillingRight(context, 'billing.read');
  const { app } = context;
  const now = app.clock.now();
  const month = monthOf(now);
  const [terms, contact] = await Promise.all([
    findBillingTerms(app.db, account.mode),
    findContact(app.db, account),
  ]);
  const snapshot = await takeSnapshot(app.db, app, account, { month, terms });
  // Without an address the taxes are unknown.
  const place = placeOf(contact) ?? NOWHERE;
  const { registrations } = app.config.billing;
  const figures = recomputeInvoice(month, snapshot, place, registrations);
  const grown = await forecastSnapshot(app, account, month, snapshot);
  return {
    ...toMonthFigures(month, figures, snapshot.storage_millicents),
    adjustments: toAdjustments(figures.lines),
    limit_cut_cents: figures.lines.reduce((sum, { cutCents }) => sum + cutCents, 0),
    limit_cuts: toLimitCuts(figures.lines),
    forecast_total_cents: recomputeInvoice(month, grown, place, registrations).totalCents,
    as_of: toInstant(now),
  };
}

/** Returns the forecast of the month, cut by the limits like its invoice. */
async function forecastSnapshot(
  app: App,
  account: Account,
  month: BillingMonth,
  snapshot: Snapshot,
): Promise<Snapshot> {
  const now = app.clock.now();
  const grow = (soFar: string) => String(forecastQuantity(BigInt(soFar), snapshot.start, now, snapshot.end));
  const grown: Snapshot = {
    ...snapshot,
    cuts: [],
    served: snapshot.served.map((row) => ({
      ...row,
      bytes: grow(row.bytes),
      requests: grow(row.requests),
    })),
    stored:
      snapshot.storage_millicents === 0
        ? []
        : await measureStored(app.db, account.organizationId, snapshot, snapshot.end),
  };
  const limits = await findLimitsIn(app.db, account, month);
  return limits.length === 0 ? grown : limitSnapshot(app, month, grown, limits);
}
