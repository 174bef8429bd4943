import type { Selectable } from 'kysely';
import type { CreditNotesTable } from '#db/schema/credit-notes.ts';
import type { InvoiceLinesTable } from '#db/schema/invoice-lines.ts';
import type { InvoiceTaxesTable } from '#db/schema/invoice-taxes.ts';
import type { InvoicesTable } from '#db/schema/invoices.ts';
import { creditFiguresOf } from '../credits/credit-rules.ts';
import { CHARGE_MIN_CENTS, type Quantities } from '../invoices/invoice-rules.ts';
import { buyerSchema, sellerSchema } from '../invoices/schema.ts';
import { quantitiesOf } from '../months/measure-usage.ts';
import { type BillingMonth, formatMonth } from '../months/month-rules.ts';
import { USAGE_KINDS } from '../months/rating-rules.ts';
import { recomputeInvoice, type Snapshot, taxPlaceSchema } from '../months/snapshot.ts';
import { placeOf } from '../months/tax-place.ts';
import { NOWHERE } from '../months/tax-rules.ts';
import { type Reversal, reversedOf } from '../payments/reversal-rules.ts';

/** An invoice with everything that was recorded for it. */
export interface BookedInvoice {
  row: Selectable<InvoicesTable>;
  lines: readonly Selectable<InvoiceLinesTable>[];
  taxes: readonly Selectable<InvoiceTaxesTable>[];
  credits: readonly Pick<
    Selectable<CreditNotesTable>,
    'id' | 'kind' | 'amount_cents' | 'is_early' | 'provider_id'
  >[];
  reversals: readonly Reversal[];
}

/** A closed month of an organization. */
export interface BookedMonth extends BillingMonth {
  invoiceId: string | null;
  snapshot: Snapshot;
  /** What all invoices so far have billed of it. */
  billed: Quantities;
}

/** What an organization was billed, and what became of it, in cents. */
export interface BookTotals {
  /** Of issued invoices that are not void. */
  invoiced_cents: number;
  credited_cents: number;
  paid_cents: number;
  refunded_cents: number;
  /** What is left to pay. */
  open_cents: number;
  /** What the payment provider adds to the next invoice or, below zero, takes off it. */
  balance_cents: number;
}

/**
 * Returns a sentence for each amount of an invoice that does not add up.
 * @param snapshot the facts from which its month was billed
 */
export function checkInvoice(invoice: BookedInvoice, snapshot: Snapshot | null): string[] {
  const { row, credits } = invoice;
  const found: string[] = [];
  const expectSame = (name: string, recorded: number, expected: number) => {
    if (recorded !== expected) found.push(`${name} is ${recorded} cents and should be ${expected}`);
  };
  const amounts = ({ amount_cents }: { amount_cents: number }) => amount_cents;
  expectSame('the subtotal', row.subtotal_cents, sumOf(invoice.lines, amounts));
  expectSame('the total', row.total_cents, row.subtotal_cents + sumOf(invoice.taxes, amounts));
  expectSame('what was credited', row.credited_cents, sumOf(credits, amounts));
  if (row.credited_cents > row.total_cents) found.push('more was credited than the total');
  found.push(...checkCalculation(invoice, snapshot));
  if (isIssued(row)) {
    const firstDue = firstDueOf(row);
    const isSettled = credits.every(({ is_early }) => is_early !== null);
    if (firstDue !== null && isSettled) {
      expectSame('what is due', row.amount_due_cents, firstDue - creditFiguresOf(credits).creditedEarlyCents);
    }
    if (row.amount_paid_cents > row.amount_due_cents) found.push('more was paid than was due');
    if (row.status === 'paid') expectSame('what was paid', row.amount_paid_cents, row.amount_due_cents);
  }
  return [...found, ...checkRefunds(invoice)];
}

/** The same lines and taxes come out again from what was fixed when the month closed. */
function checkCalculation({ row, lines, taxes }: BookedInvoice, snapshot: Snapshot | null): string[] {
  if (!snapshot) return ['no closed month belongs to it'];
  const buyer = row.buyer === null ? null : buyerSchema.parse(JSON.parse(row.buyer));
  const place = row.tax_place === null ? placeOf(buyer) : taxPlaceSchema.parse(JSON.parse(row.tax_place));
  const registrations = row.seller === null ? {} : sellerSchema.parse(JSON.parse(row.seller)).registrations;
  const month = { year: row.billing_year, month: row.billing_month };
  const again = recomputeInvoice(month, snapshot, place ?? NOWHERE, registrations);
  const isSame = (recorded: readonly number[], expected: readonly number[]) =>
    recorded.length === expected.length && recorded.every((cents, index) => cents === expected[index]);
  const found: string[] = [];
  const linesAgain = again.lines.map(({ amountCents }) => amountCents);
  if (
    !isSame(
      lines.map(({ amount_cents }) => amount_cents),
      linesAgain,
    )
  ) {
    found.push('its lines are not those that its month comes to');
  }
  const taxesAgain = again.taxes.map(({ amountCents }) => amountCents);
  if (
    buyer !== null &&
    !isSame(
      taxes.map(({ amount_cents }) => amount_cents),
      taxesAgain,
    )
  ) {
    found.push('its taxes are not those of its subtotal');
  }
  return found;
}

function checkRefunds({ row, credits, reversals }: BookedInvoice): string[] {
  const found: string[] = [];
  const { refundedCents } = reversedOf(reversals);
  if (refundedCents > row.amount_paid_cents) {
    found.push(`${refundedCents} cents were refunded of ${row.amount_paid_cents} that were paid`);
  }
  for (const { id, kind, amount_cents, provider_id } of credits) {
    const made = reversals.filter(({ credit_note_id }) => credit_note_id === id);
    if (kind !== 'refund' || provider_id === null || made.length === 0) continue;
    const refunds = sumOf(made, (refund) => refund.amount_cents);
    if (refunds !== amount_cents) found.push(`a credit note of ${amount_cents} cents refunds ${refunds}`);
  }
  return found;
}

/** Returns a difference for each of an organization's months whose usage was not billed exactly once, on its own invoice and later ones. */
export function checkMonths(
  months: readonly BookedMonth[],
  invoices: readonly BookedInvoice[],
): { month: BillingMonth; difference: string }[] {
  const lines = invoices.flatMap((invoice) => invoice.lines);
  return months.flatMap(({ year, month, invoiceId, snapshot, billed }) => {
    const found: string[] = [];
    const own = quantitiesOf(snapshot);
    for (const kind of USAGE_KINDS) {
      const later = lines.filter(
        (line) =>
          line.kind === 'adjustment' &&
          line.usage_kind === kind &&
          line.usage_year === year &&
          line.usage_month === month,
      );
      const all = later.reduce((sum, { quantity }) => sum + BigInt(quantity), own[kind]);
      if (all !== billed[kind])
        found.push(`${all} of ${kind} were billed, and ${billed[kind]} recorded as billed`);
    }
    if (invoiceId !== null && !invoices.some(({ row }) => row.id === invoiceId)) {
      found.push('its invoice is missing');
    }
    if (invoiceId === null) {
      const { lines } = recomputeInvoice({ year, month }, snapshot, NOWHERE, {});
      if (lines.some(({ amountCents }) => amountCents !== 0)) found.push('it was closed without an invoice');
    }
    return found.map((difference) => ({ month: { year, month }, difference }));
  });
}

/** Adds up the invoices of an organization. */
export function totalsOf(invoices: readonly BookedInvoice[]): BookTotals {
  const issued = invoices.filter(({ row }) => isIssued(row));
  const kept = ({ row, credits }: BookedInvoice) => {
    const { creditedEarlyCents, creditedToCardCents } = creditFiguresOf(credits);
    const afterPayment = row.credited_cents - creditedEarlyCents - creditedToCardCents;
    return row.total_cents - row.amount_due_cents - creditedEarlyCents - afterPayment;
  };
  return {
    invoiced_cents: sumOf(issued, ({ row }) => row.total_cents),
    credited_cents: sumOf(issued, ({ row }) => row.credited_cents),
    paid_cents: sumOf(issued, ({ row }) => row.amount_paid_cents),
    refunded_cents: sumOf(issued, ({ reversals }) => reversedOf(reversals).refundedCents),
    open_cents: sumOf(issued, ({ row }) => row.amount_due_cents - row.amount_paid_cents),
    balance_cents: sumOf(issued, kept),
  };
}

/** Names an invoice's month. */
export function monthNameOf({ row }: BookedInvoice): string {
  return formatMonth({ year: row.billing_year, month: row.billing_month });
}

function isIssued({ status, provider_id }: BookedInvoice['row']): boolean {
  return status !== 'draft' && status !== 'void' && provider_id !== null;
}

/** Returns the cents that were due when the invoice was issued; null where the balance at that time is unknown. */
function firstDueOf({ total_cents, starting_balance_cents }: BookedInvoice['row']): number | null {
  if (starting_balance_cents === null) return null;
  const due = total_cents + starting_balance_cents;
  return due < CHARGE_MIN_CENTS ? 0 : due;
}

function sumOf<Each>(list: readonly Each[], centsOf: (each: Each) => number): number {
  return list.reduce((sum, each) => sum + centsOf(each), 0);
}
