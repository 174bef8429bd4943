import type { Insertable } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { InvoiceLinesTable } from '#db/schema/invoice-lines.ts';
import type { InvoicesTable } from '#db/schema/invoices.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { InvoiceFigures } from '../invoices/invoice-rules.ts';
import type { Account } from '../queries.ts';
import type { BillingTerms } from './billing-terms.ts';
import { quantitiesOf } from './measure-usage.ts';
import { type BillingMonth, formatMonth } from './month-rules.ts';
import { printedRateMillicents, USAGE_KINDS } from './rating-rules.ts';
import { parseQuantities, pricesOf, recomputeInvoice, type Snapshot, storeQuantities } from './snapshot.ts';
import { type BilledMonth, takeSnapshots } from './take-snapshot.ts';
import { NOWHERE } from './tax-rules.ts';

/**
 * Closes a month of an organization, once: what it is billed from is fixed, and its invoice is drafted in the
 * same transaction, without taxes until there is a buyer. A second call finds it done. Returns the invoice,
 * or null when nothing is billed.
 */
export async function closeMonth(
  app: App,
  { organizationId, mode }: Account,
  month: BillingMonth,
  terms: BillingTerms,
): Promise<{ isClosed: boolean; invoiceId: string | null }> {
  const [closed] = await closeMonthTogether(app, [organizationId], { mode, month, terms });
  return { isClosed: closed !== undefined, invoiceId: closed?.invoiceId ?? null };
}

/** A month that this call has closed. */
export interface ClosedMonth {
  organizationId: string;
  /** Null when nothing is billed. */
  invoiceId: string | null;
}

/**
 * Closes a month of several organizations in one transaction, with as many statements as for one. Returns those that this call closed;
 * a failure closes none.
 */
export async function closeMonthTogether(
  app: App,
  organizationIds: readonly string[],
  billed: BilledMonth,
): Promise<ClosedMonth[]> {
  const { mode, month } = billed;
  const close = async (trx: Trx) => {
    const now = app.clock.now();
    const taken = await takeSnapshots(trx, app, organizationIds, billed);
    const drafts = [...taken].map(([organizationId, snapshot]) => {
      const figures = recomputeInvoice(month, snapshot, NOWHERE, {});
      const isBilled = figures.lines.some(({ amountCents, cutCents }) => amountCents !== 0 || cutCents !== 0);
      return { organizationId, snapshot, figures, invoiceId: isBilled ? newId(now) : null };
    });
    const inserted = await trx
      .insertInto('billing_months')
      .values(
        drafts.map(({ organizationId, snapshot, invoiceId }) => ({
          organization_id: organizationId,
          mode,
          year: month.year,
          month: month.month,
          closed_at: now,
          snapshot: JSON.stringify(snapshot),
          price_version: snapshot.price_version,
          billed: JSON.stringify(storeQuantities(quantitiesOf(snapshot))),
          invoice_id: invoiceId,
        })),
      )
      .onConflict((conflict) => conflict.columns(['organization_id', 'mode', 'year', 'month']).doNothing())
      .returning('organization_id')
      .execute();
    const closedNow = new Set(inserted.map(({ organization_id }) => organization_id));
    const closed = drafts.filter(({ organizationId }) => closedNow.has(organizationId));
    for (const { organizationId, snapshot } of closed)
      await noteAdjusted(trx, mode, organizationId, snapshot);
    const invoices = closed.flatMap(({ organizationId, snapshot, figures, invoiceId }): Draft[] =>
      invoiceId === null ? [] : [{ id: invoiceId, organizationId, mode, month, figures, snapshot }],
    );
    if (invoices.length > 0) {
      await trx
        .insertInto('invoices')
        .values(invoices.map((draft) => invoiceOf(draft, now)))
        .execute();
      await trx.insertInto('invoice_lines').values(invoices.flatMap(linesOf)).execute();
    }
    return closed.map(({ organizationId, invoiceId }) => ({ organizationId, invoiceId }));
  };
  // Nothing outside the database depends on the month before its buyer is fixed, and that commit waits for the
  // disk.
  return inTransaction(app.db, close, { isDeferred: true });
}

/**
 * Late usage is billed by this month's invoice, and by none after it.
 * @throws Error when the invoice of another month, closed at the same time, has billed it: closing again finds what is left
 */
async function noteAdjusted(
  trx: Trx,
  mode: BillingMode,
  organizationId: string,
  { late }: Snapshot,
): Promise<void> {
  for (const { year, month, billed, known } of late) {
    const closed = trx
      .selectFrom('billing_months')
      .select('billed')
      .where('organization_id', '=', organizationId)
      .where('mode', '=', mode)
      .where('year', '=', year)
      .where('month', '=', month);
    const row = await closed.$if(isPostgres(trx), (query) => query.forUpdate()).executeTakeFirstOrThrow();
    const before = parseQuantities(row.billed);
    if (USAGE_KINDS.some((kind) => before[kind] !== BigInt(billed[kind]))) {
      throw new Error(`late usage of ${formatMonth({ year, month })} was billed in the meantime`);
    }
    await trx
      .updateTable('billing_months')
      .set({ billed: JSON.stringify(known) })
      .where('organization_id', '=', organizationId)
      .where('mode', '=', mode)
      .where('year', '=', year)
      .where('month', '=', month)
      .execute();
  }
}

/** An invoice that is about to be inserted. */
interface Draft {
  id: string;
  organizationId: string;
  mode: BillingMode;
  month: BillingMonth;
  figures: InvoiceFigures;
  snapshot: Snapshot;
}

function invoiceOf(
  { id, organizationId, mode, month, figures: { subtotalCents } }: Draft,
  now: number,
): Insertable<InvoicesTable> {
  // Nothing to collect: the invoice is shown, and never sent to the provider.
  const isFree = subtotalCents === 0;
  return {
    id,
    organization_id: organizationId,
    mode,
    billing_year: month.year,
    billing_month: month.month,
    status: isFree ? 'paid' : 'draft',
    tax_reason: '',
    tax_place: null,
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
  };
}

function linesOf({ id, mode, figures, snapshot }: Draft): Insertable<InvoiceLinesTable>[] {
  const prices = pricesOf(snapshot);
  return figures.lines.map((line, position) => {
    const rate = printedRateMillicents(line.usage, prices);
    return {
      invoice_id: id,
      mode,
      position,
      kind: line.kind,
      usage_kind: line.usage,
      quantity: String(line.quantity),
      usage_year: line.month.year,
      usage_month: line.month.month,
      rate_cents: Math.round(rate / 1_000),
      rate_millicents: rate,
      amount_cents: line.amountCents,
      cut_cents: line.cutCents,
    };
  });
}
