import type { Executor, Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { cutSnapshot, findLimitsIn, findTaxPlace } from './find-limits.ts';
import type { InvoiceFigures } from './invoice-rules.ts';
import { findLateUsage } from './late-usage.ts';
import { measureUsage, quantitiesOf } from './measure-usage.ts';
import { type BillingMonth, monthEnd, monthStart } from './month-rules.ts';
import type { Account } from './queries.ts';
import { CURRENT_PRICES, printedRateCents } from './rating-rules.ts';
import { recomputeInvoice, type Snapshot, snapshotSchema, storeQuantities } from './snapshot.ts';
import { TAX_TABLE_VERSION } from './tax-rules.ts';

/** Taxes are calculated once there is a buyer. */
const NOWHERE = { country: null, province: null };

/**
 * Returns what a month is billed from, as currently known.
 * @param since when billing in this mode began
 */
export async function takeSnapshot(
  executor: Executor,
  app: App,
  account: Account,
  month: BillingMonth,
  since: number,
): Promise<Snapshot> {
  const start = Math.max(monthStart(month), Math.ceil(since / DAY_MS) * DAY_MS);
  const end = Math.max(start, monthEnd(month));
  const usage = await measureUsage(executor, account.organizationId, start, end);
  const whole = snapshotSchema.parse({
    start,
    end,
    price_version: CURRENT_PRICES,
    tax_version: TAX_TABLE_VERSION,
    ...usage,
    late: await findLateUsage(executor, account, month),
    cuts: [],
    is_limited: false,
  });
  const limits = await findLimitsIn(executor, account, month);
  if (limits.length === 0) return whole;
  const place = await findTaxPlace(executor, account);
  const { registrations } = app.config.billing;
  const cut = (late: Snapshot['late']): Snapshot => {
    const snapshot = { ...whole, late };
    const lateCents = recomputeInvoice(month, snapshot, NOWHERE, {})
      .lines.filter(({ kind }) => kind === 'adjustment')
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
    return { ...snapshot, ...cutSnapshot(snapshot, limits, place, registrations, lateCents) };
  };
  const limited = cut(whole.late);
  // Late usage that would take the invoice above a limit waits for a month with room for it.
  const cap = limits.find(({ scope, action }) => scope === 'organization' && action === 'stop');
  const isWithin = !cap || recomputeInvoice(month, limited, place, registrations).totalCents <= cap.capCents;
  return isWithin ? limited : cut([]);
}

/**
 * Closes a month of an organization, once: what it is billed from is fixed, and its invoice is drafted in the
 * same transaction, without taxes until there is a buyer. A second call finds it done. Returns the invoice,
 * or null when nothing is billed.
 */
export async function closeMonth(
  app: App,
  account: Account,
  month: BillingMonth,
  since: number,
): Promise<{ isClosed: boolean; invoiceId: string | null }> {
  const close = async (trx: Trx) => {
    const snapshot = await takeSnapshot(trx, app, account, month, since);
    const figures = recomputeInvoice(month, snapshot, NOWHERE, {});
    const isBilled = figures.lines.some(({ amountCents, cutCents }) => amountCents !== 0 || cutCents !== 0);
    const now = app.clock.now();
    const invoiceId = isBilled ? newId(now) : null;
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('billing_months')
      .values({
        organization_id: account.organizationId,
        mode: account.mode,
        year: month.year,
        month: month.month,
        closed_at: now,
        snapshot: JSON.stringify(snapshot),
        price_version: snapshot.price_version,
        billed: JSON.stringify(storeQuantities(quantitiesOf(snapshot))),
        invoice_id: invoiceId,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'mode', 'year', 'month']).doNothing())
      .executeTakeFirstOrThrow();
    if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return { isClosed: false, invoiceId: null };
    await noteAdjusted(trx, account, snapshot);
    if (invoiceId !== null) await draftInvoice(trx, account, month, figures, invoiceId, now);
    return { isClosed: true, invoiceId };
  };
  // Nothing outside the database learns of the month before its buyer is fixed, and that commit waits for the
  // disk.
  return inTransaction(app.db, close, { isDeferred: true });
}

/** Late usage is billed by this month's invoice, and by none after it. */
async function noteAdjusted(trx: Trx, account: Account, { late }: Snapshot): Promise<void> {
  for (const { year, month, known } of late) {
    await trx
      .updateTable('billing_months')
      .set({ billed: JSON.stringify(known) })
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .where('year', '=', year)
      .where('month', '=', month)
      .execute();
  }
}

async function draftInvoice(
  trx: Trx,
  account: Account,
  month: BillingMonth,
  { lines, subtotalCents }: InvoiceFigures,
  id: string,
  now: number,
): Promise<void> {
  // Nothing to collect: the invoice is shown, and never sent to the provider.
  const isFree = subtotalCents === 0;
  await trx
    .insertInto('invoices')
    .values({
      id,
      organization_id: account.organizationId,
      mode: account.mode,
      billing_year: month.year,
      billing_month: month.month,
      status: isFree ? 'paid' : 'draft',
      tax_reason: '',
      buyer: null,
      seller: null,
      hold_reason: null,
      provider_id: null,
      number: null,
      subtotal_cents: subtotalCents,
      total_cents: subtotalCents,
      amount_due_cents: subtotalCents,
      amount_paid_cents: 0,
      credited_cents: 0,
      attempts: 0,
      next_attempt_at: null,
      dunning_reason: null,
      created_at: now,
      updated_at: now,
      finalized_at: isFree ? now : null,
      paid_at: isFree ? now : null,
      voided_at: null,
    })
    .execute();
  await trx
    .insertInto('invoice_lines')
    .values(
      lines.map((line, position) => ({
        invoice_id: id,
        mode: account.mode,
        position,
        kind: line.kind,
        usage_kind: line.usage,
        quantity: String(line.quantity),
        usage_year: line.month.year,
        usage_month: line.month.month,
        rate_cents: printedRateCents(line.usage),
        amount_cents: line.amountCents,
        cut_cents: line.cutCents,
      })),
    )
    .execute();
}
