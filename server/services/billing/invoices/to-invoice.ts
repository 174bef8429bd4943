import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { InvoiceLinesTable } from '#db/schema/invoice-lines.ts';
import type { InvoiceTaxesTable } from '#db/schema/invoice-taxes.ts';
import type { App } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { creditFiguresOf, describeCredits } from '../credits/credit-rules.ts';
import { type CreditNoteRow, listCreditNotes } from '../credits/list-credit-notes.ts';
import type { BillingMonth } from '../months/month-rules.ts';
import type { UsageKind } from '../months/rating-rules.ts';
import { TAX_NAMES, TAX_REASONS } from '../months/tax-rules.ts';
import { listReversals, type ReversalRow } from '../payments/list-reversals.ts';
import { paymentStateOf, reversedOf } from '../payments/reversal-rules.ts';
import { shownStatus } from '../rules.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import type { InvoiceFigures } from './invoice-rules.ts';
import type { Invoice, InvoiceDetail } from './schema.ts';

type LineRow = Selectable<InvoiceLinesTable>;
type TaxRow = Selectable<InvoiceTaxesTable>;

interface Line {
  kind: UsageKind | 'adjustment';
  usage: UsageKind;
  month: BillingMonth;
  quantity: bigint;
  amountCents: number;
  cutCents: number;
}

interface Figures {
  lines: readonly Line[];
  taxes: readonly { name: string; rateMilli: number; amountCents: number }[];
  subtotalCents: number;
  totalCents: number;
}

/**
 * Returns the figures of a month under their names on the wire. A line that does not exist is nothing.
 * @param storageMillicents the price of storage that month
 */
export function toMonthFigures(
  month: BillingMonth,
  figures: Figures | InvoiceFigures,
  storageMillicents: number,
) {
  const lineOf = (kind: UsageKind) => figures.lines.find((line) => line.kind === kind);
  const quantity = (kind: UsageKind) => Number(lineOf(kind)?.quantity ?? 0n);
  const amount = (kind: UsageKind) => lineOf(kind)?.amountCents ?? 0;
  return {
    billing_month: month.month,
    billing_year: month.year,
    site_count: quantity('site'),
    site_cents: amount('site'),
    cdn_endpoint_count: quantity('endpoint'),
    cdn_endpoint_cents: amount('endpoint'),
    bandwidth_bytes: quantity('bandwidth'),
    bandwidth_cents: amount('bandwidth'),
    total_requests: quantity('requests'),
    request_cents: amount('requests'),
    storage_byte_hours: quantity('storage'),
    storage_cents: amount('storage'),
    storage_rate_cents: storageMillicents / 1_000,
    subtotal_cents: figures.subtotalCents,
    tax_details: figures.taxes.map(({ name, rateMilli, amountCents }) => ({
      tax_name: toTaxName(name),
      tax_rate: rateMilli / 1_000,
      amount: amountCents,
    })),
    total_cents: figures.totalCents,
  };
}

/** Returns lines of earlier months in their wire format. */
export function toAdjustments(lines: readonly Line[]) {
  return lines
    .filter(({ kind }) => kind === 'adjustment')
    .map((line) => ({
      usage_kind: line.usage,
      billing_month: line.month.month,
      billing_year: line.month.year,
      quantity: Number(line.quantity),
      amount_cents: line.amountCents,
    }));
}

/** Returns the cents that spending limits have removed from each line, in wire format. */
export function toLimitCuts(lines: readonly Line[]) {
  return lines
    .filter(({ cutCents }) => cutCents > 0)
    .map(({ usage, cutCents }) => ({ usage_kind: usage, cut_cents: cutCents }));
}

function toTaxName(name: string) {
  const known = TAX_NAMES.find((each) => each === name);
  if (!known) throw new Error(`there is no tax ${name}`);
  return known;
}

/** Returns invoices in their wire format, with four reads for any number of them. */
export async function toInvoices(
  executor: Executor,
  app: App,
  rows: readonly InvoiceRow[],
): Promise<Invoice[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const lines = await executor
    .selectFrom('invoice_lines')
    .selectAll()
    .where('invoice_id', 'in', ids)
    .orderBy('position')
    .execute();
  const taxes = await executor
    .selectFrom('invoice_taxes')
    .selectAll()
    .where('invoice_id', 'in', ids)
    .orderBy('position')
    .execute();
  const credits = Map.groupBy(await listCreditNotes(executor, ids), ({ invoice_id }) => invoice_id);
  const reversals = Map.groupBy(await listReversals(executor, ids), ({ invoice_id }) => invoice_id);
  return rows.map((row) => ({
    ...toInvoice(
      app,
      row,
      lines.filter(({ invoice_id }) => invoice_id === row.id),
      taxes.filter(({ invoice_id }) => invoice_id === row.id),
    ),
    ...toCredited(
      row,
      credits.get(row.id) ?? [],
      taxes.filter(({ invoice_id }) => invoice_id === row.id),
      reversals.get(row.id) ?? [],
    ),
    ...toReversed(row, reversals.get(row.id) ?? []),
  }));
}

function toInvoice(app: App, row: InvoiceRow, lines: LineRow[], taxes: TaxRow[]) {
  const month = { year: row.billing_year, month: row.billing_month };
  const figures: Figures = {
    lines: lines.map((line) => ({
      kind: line.kind,
      usage: line.usage_kind,
      month: { year: line.usage_year, month: line.usage_month },
      quantity: BigInt(line.quantity),
      amountCents: line.amount_cents,
      cutCents: line.cut_cents,
    })),
    taxes: taxes.map((tax) => ({
      name: tax.name,
      rateMilli: tax.rate_milli,
      amountCents: tax.amount_cents,
    })),
    subtotalCents: row.subtotal_cents,
    totalCents: row.total_cents,
  };
  const isIssued = row.status !== 'draft' && row.provider_id !== null;
  return {
    ...toMonthFigures(month, figures, lines.find(({ kind }) => kind === 'storage')?.rate_millicents ?? 0),
    id: row.id,
    status: shownStatus(row.status),
    created_at: toInstant(row.created_at),
    number: row.number,
    hosted_invoice_url: isIssued ? `${app.config.publicUrl}/api/v1/billing/invoices/${row.id}/hosted` : null,
    adjustments: toAdjustments(figures.lines),
    limit_cut_cents: figures.lines.reduce((sum, { cutCents }) => sum + cutCents, 0),
    limit_cuts: toLimitCuts(figures.lines),
    starting_balance_cents: row.starting_balance_cents,
    amount_due_cents: row.amount_due_cents,
    amount_paid_cents: row.amount_paid_cents,
    credited_cents: row.credited_cents,
    tax_reason: TAX_REASONS.find((reason) => reason === row.tax_reason) ?? null,
    payment_problem: row.dunning_reason,
  };
}

/** Returns the fields of an invoice about its credits, in wire format. */
function toCredited(
  row: InvoiceRow,
  credits: readonly CreditNoteRow[],
  taxes: readonly TaxRow[],
  reversals: readonly ReversalRow[],
) {
  const { creditedEarlyCents, creditedToCardCents } = creditFiguresOf(credits);
  const taxesCents = taxes.map(({ amount_cents }) => amount_cents);
  const described = describeCredits(credits, { totalCents: row.total_cents, taxesCents }, reversals);
  return {
    credited_early_cents: creditedEarlyCents,
    credited_to_card_cents: creditedToCardCents,
    credits: described.map(({ note, taxesCents, refundState }) => ({
      kind: note.kind,
      refund_state: refundState,
      amount_cents: note.amount_cents,
      tax_details: taxes.map(({ name, rate_milli }, position) => ({
        tax_name: toTaxName(name),
        tax_rate: rate_milli / 1_000,
        amount: taxesCents[position] ?? 0,
      })),
      reason: note.reason,
      reason_fr: note.reason_fr,
      created_at: toInstant(note.created_at),
    })),
  };
}

/** Returns the fields of an invoice about refunds and disputes of its payment, in wire format. */
function toReversed({ amount_paid_cents }: InvoiceRow, reversals: readonly ReversalRow[]) {
  const { refundedCents, rejectedCents, disputedCents, chargedBackCents } = reversedOf(reversals);
  return {
    payment_state: paymentStateOf(amount_paid_cents, reversals),
    refunded_cents: refundedCents,
    rejected_cents: rejectedCents,
    disputed_cents: disputedCents,
    charged_back_cents: chargedBackCents,
    reversals: reversals.map(({ created_at, repaid_at, ...reversal }) => ({
      kind: reversal.kind,
      status: reversal.status,
      amount_cents: reversal.amount_cents,
      reason: reversal.reason,
      created_at: toInstant(created_at),
      repaid_at: toInstant(repaid_at),
      repeated_cents: reversal.repeated_cents,
    })),
  };
}

/** Returns an invoice with its buyer and seller. */
export async function toInvoiceDetail(executor: Executor, app: App, row: InvoiceRow): Promise<InvoiceDetail> {
  const [invoice] = await toInvoices(executor, app, [row]);
  if (!invoice) throw new Error('one row makes one invoice');
  return {
    ...invoice,
    buyer: row.buyer === null ? null : JSON.parse(row.buyer),
    seller: row.seller === null ? null : JSON.parse(row.seller),
    tax_place: row.tax_place === null ? null : JSON.parse(row.tax_place),
    finalized_at: toInstant(row.finalized_at),
    paid_at: toInstant(row.paid_at),
  };
}
