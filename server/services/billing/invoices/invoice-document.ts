import type { Executor } from '#db/client.ts';
import type { Language } from '../../identity/rules.ts';
import { type CreditKind, creditFiguresOf, describeCredits } from '../credits/credit-rules.ts';
import { listCreditNotes } from '../credits/list-credit-notes.ts';
import type { BillingMonth } from '../months/month-rules.ts';
import type { UsageKind } from '../months/rating-rules.ts';
import { taxPlaceSchema } from '../months/snapshot.ts';
import type { TaxPlace } from '../months/tax-rules.ts';
import type { DueFigures } from '../payments/due-rules.ts';
import { listReversals } from '../payments/list-reversals.ts';
import {
  type PaymentState,
  paymentStateOf,
  type RefundState,
  reversedOf,
} from '../payments/reversal-rules.ts';
import { type InvoiceStatus, shownStatus } from '../rules.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { type Buyer, buyerSchema, type Seller, sellerSchema } from './schema.ts';

export interface DocumentLine {
  kind: UsageKind | 'adjustment';
  usage: UsageKind;
  month: BillingMonth;
  quantity: bigint;
  /** Thousandths of a cent of a site, an endpoint, a GB, a million requests, a GB stored for a month. */
  rateMillicents: number;
  amountCents: number;
  /** What a spending limit has removed. */
  cutCents: number;
}

export interface DocumentTax {
  name: string;
  rateMilli: number;
  registration: string;
  amountCents: number;
}

/** What was credited of an invoice at once. */
export interface DocumentCredit {
  kind: CreditKind;
  /** Null for a credit, and where nothing is known of the refund. */
  refundState: RefundState | null;
  /** With its taxes. */
  amountCents: number;
  taxes: { name: string; amountCents: number }[];
  reasons: Record<Language, string>;
  datedAt: number;
}

/** The content of an invoice file, in any format and language. */
export interface InvoiceDocument extends DueFigures {
  id: string;
  /** Null until it is issued. */
  number: string | null;
  status: InvoiceStatus;
  month: BillingMonth;
  /** The day of issue; for a draft, the day of creation. */
  datedAt: number;
  seller: Seller | null;
  buyer: Buyer | null;
  lines: DocumentLine[];
  taxes: DocumentTax[];
  taxReason: string;
  /** Where the buyer was when the month closed; null when that is where the address is. */
  taxPlace: TaxPlace | null;
  subtotalCents: number;
  /** Oldest first. */
  credits: DocumentCredit[];
  /** What has become of its payment; null when it stands. */
  paymentState: PaymentState | null;
}

/** Whether it has not been issued: its amounts are not due yet. */
export function isDraft({ number, status }: InvoiceDocument): boolean {
  return number === null && status === 'draft';
}

/** Returns an invoice's content for its files. */
export async function readInvoiceDocument(executor: Executor, row: InvoiceRow): Promise<InvoiceDocument> {
  const lines = await executor
    .selectFrom('invoice_lines')
    .selectAll()
    .where('invoice_id', '=', row.id)
    .orderBy('position')
    .execute();
  const taxes = await executor
    .selectFrom('invoice_taxes')
    .selectAll()
    .where('invoice_id', '=', row.id)
    .orderBy('position')
    .execute();
  const credits = await listCreditNotes(executor, [row.id]);
  const reversals = await listReversals(executor, [row.id]);
  const taxesCents = taxes.map(({ amount_cents }) => amount_cents);
  const described = describeCredits(credits, { totalCents: row.total_cents, taxesCents }, reversals);
  return {
    id: row.id,
    number: row.number,
    status: shownStatus(row.status),
    month: { year: row.billing_year, month: row.billing_month },
    datedAt: row.finalized_at ?? row.created_at,
    seller: row.seller === null ? null : sellerSchema.parse(JSON.parse(row.seller)),
    buyer: row.buyer === null ? null : buyerSchema.parse(JSON.parse(row.buyer)),
    lines: lines.map((line) => ({
      kind: line.kind,
      usage: line.usage_kind,
      month: { year: line.usage_year, month: line.usage_month },
      quantity: BigInt(line.quantity),
      rateMillicents: line.rate_millicents ?? line.rate_cents * 1_000,
      amountCents: line.amount_cents,
      cutCents: line.cut_cents,
    })),
    taxes: taxes.map((tax) => ({
      name: tax.name,
      rateMilli: tax.rate_milli,
      registration: tax.registration,
      amountCents: tax.amount_cents,
    })),
    taxReason: row.tax_reason,
    taxPlace: row.tax_place === null ? null : taxPlaceSchema.parse(JSON.parse(row.tax_place)),
    subtotalCents: row.subtotal_cents,
    totalCents: row.total_cents,
    creditedCents: row.credited_cents,
    ...creditFiguresOf(credits),
    credits: described.map(({ note, taxesCents, refundState }) => ({
      kind: note.kind,
      refundState,
      amountCents: note.amount_cents,
      taxes: taxes.map(({ name }, position) => ({ name, amountCents: taxesCents[position] ?? 0 })),
      reasons: { 'en-CA': note.reason, 'fr-CA': note.reason_fr ?? note.reason },
      datedAt: note.created_at,
    })),
    startingBalanceCents: row.starting_balance_cents,
    dueCents: row.amount_due_cents,
    paidPartCents: shownStatus(row.status) === 'open' ? row.amount_paid_cents : 0,
    ...reversedOf(reversals),
    paymentState: paymentStateOf(row.amount_paid_cents, reversals),
  };
}
