import { type BillingMonth, compareMonths, formatMonth, monthEnd } from '../months/month-rules.ts';
import {
  type Prices,
  rateCents,
  roundHalfUp,
  toCents,
  USAGE_KINDS,
  type UsageKind,
  unitPriceOf,
} from '../months/rating-rules.ts';
import { type Registrations, type TaxPlace, type TaxReason, taxesAt } from '../months/tax-rules.ts';

/**
 * The minimum charge to a card in Canadian dollars; a smaller total counts as paid and is added to the next
 * one.
 */
export const CHARGE_MIN_CENTS = 50;

/** A month's quantity of everything that is billed. */
export type Quantities = Readonly<Record<UsageKind, bigint>>;

/** Usage of an earlier month that arrived after its invoice was made. */
export interface LateUsage {
  month: BillingMonth;
  prices: Prices;
  /** What all invoices so far have billed of that month. */
  billed: Quantities;
  /** What is known now. */
  known: Quantities;
}

/** A part of a line that is not billed because a spending limit was reached. */
export interface LimitCut {
  kind: UsageKind;
  cents: number;
}

/** Everything that an invoice is calculated from. */
export interface InvoiceInput {
  month: BillingMonth;
  prices: Prices;
  quantities: Quantities;
  late: readonly LateUsage[];
  cuts: readonly LimitCut[];
  place: TaxPlace;
  registrations: Registrations;
}

export interface InvoiceLine {
  kind: UsageKind | 'adjustment';
  /** For an adjustment, the adjusted kind, else the same as `kind`. */
  usage: UsageKind;
  /** The month of the usage. */
  month: BillingMonth;
  quantity: bigint;
  /** What is billed, after a cut. */
  amountCents: number;
  /** What a spending limit has removed. */
  cutCents: number;
}

export interface InvoiceTax {
  name: string;
  rateMilli: number;
  registration: string;
  amountCents: number;
}

export interface InvoiceFigures {
  lines: InvoiceLine[];
  taxes: InvoiceTax[];
  taxReason: TaxReason;
  subtotalCents: number;
  totalCents: number;
}

/**
 * Returns the invoice for an input: always the same one. Every line is rounded once, every tax once on the
 * subtotal, half a cent up; the total is the sum of both.
 */
export function computeInvoice(input: InvoiceInput): InvoiceFigures {
  const lines = [...usageLines(input), ...[...input.late].sort(byMonth).flatMap(adjustmentLines)];
  const subtotal = lines.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
  // The rates of the month's last day: the month is supplied on that day.
  const lastDay = new Date(monthEnd(input.month) - 1).toISOString().slice(0, 10);
  const { taxes, reason } = taxesAt(input.place, lastDay, input.registrations);
  const charged = taxes.map(
    (tax): InvoiceTax => ({ ...tax, amountCents: taxCents(subtotal, tax.rateMilli) }),
  );
  const total = charged.reduce((sum, { amountCents }) => sum + BigInt(amountCents), subtotal);
  return {
    lines,
    taxes: charged,
    taxReason: reason,
    subtotalCents: toCents(subtotal),
    totalCents: toCents(total),
  };
}

/** Returns the tax on a subtotal in cents. */
export function taxCents(subtotal: bigint, rateMilli: number): number {
  return toCents(roundHalfUp(subtotal * BigInt(rateMilli), 100_000n));
}

function usageLines({ month, prices, quantities, cuts }: InvoiceInput): InvoiceLine[] {
  return USAGE_KINDS.flatMap((kind): InvoiceLine[] => {
    const quantity = quantities[kind];
    // What has no price is counted and shown, but has no line on an invoice.
    if (quantity <= 0n || unitPriceOf(kind, prices).num === 0n) return [];
    const full = rateCents(kind, quantity, prices);
    const wanted = cuts.filter((cut) => cut.kind === kind).reduce((sum, { cents }) => sum + cents, 0);
    const cutCents = Math.max(0, Math.min(full, wanted));
    return [{ kind, usage: kind, month, quantity, amountCents: full - cutCents, cutCents }];
  });
}

const byMonth = (one: LateUsage, other: LateUsage) => compareMonths(one.month, other.month);

/** The difference between what the month costs now and what it was billed at, so that all its lines together are right. */
function adjustmentLines({ month, prices, billed, known }: LateUsage): InvoiceLine[] {
  return USAGE_KINDS.flatMap((usage): InvoiceLine[] => {
    const quantity = known[usage] - billed[usage];
    if (quantity === 0n) return [];
    const amountCents = rateCents(usage, known[usage], prices) - rateCents(usage, billed[usage], prices);
    return [{ kind: 'adjustment', usage, month, quantity, amountCents, cutCents: 0 }];
  });
}

/**
 * Distributes a total among parts by their weights, to the cent: the largest remainders get what rounding
 * leaves. A payment provider requires the taxes of an invoice by line.
 */
export function shareCents(totalCents: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n);
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? totalCents : 0));
  const exact = weights.map((weight) => BigInt(totalCents) * BigInt(weight));
  const floors = exact.map((value) => floorDivide(value, sum));
  const missing = Number(BigInt(totalCents) - floors.reduce((all, value) => all + value, 0n));
  const order = exact
    .map((value, index) => ({ index, remainder: absolute(value - (floors[index] ?? 0n) * sum) }))
    .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  const lucky = new Set(order.slice(0, missing).map(({ index }) => index));
  return floors.map((value, index) => toCents(value + (lucky.has(index) ? 1n : 0n)));
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by !== 0n && value < 0n !== by < 0n ? quotient - 1n : quotient;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Returns the key of an invoice at the payment provider: one per account and month. */
export function invoiceKey(organizationId: string, month: BillingMonth): string {
  return `${organizationId}:${formatMonth(month)}`;
}
