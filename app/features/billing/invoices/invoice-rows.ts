import type { Cost, Invoice } from '#server/services/billing/invoices/schema.ts';
import {
  printedRateMillicents,
  RATE_UNITS,
  type UsageKind,
} from '#server/services/billing/months/rating-rules.ts';

/** A displayed line of an invoice. */
export interface InvoiceLine {
  key: string;
  kind: UsageKind;
  /** The earlier month whose usage arrived late; null for the month of the invoice. */
  lateMonth: { year: number; month: number } | null;
  /** Sites, endpoints, bytes, requests or byte-hours. */
  quantity: number;
  /** The same in the unit of the rate: bytes in GB, requests in millions, byte-hours in GB-months. */
  units: number;
  /** Cents, with a fraction where storage has one. */
  rateCents: number;
  amountCents: number;
  /** What a spending limit has removed. */
  cutCents: number;
}

/** Returns the lines of an invoice, or of a month to date: those with a quantity above zero. */
export function linesOf(invoice: Invoice | Cost): InvoiceLine[] {
  const cutOf = (kind: UsageKind) =>
    invoice.limit_cuts.filter((cut) => cut.usage_kind === kind).reduce((sum, cut) => sum + cut.cut_cents, 0);
  const own: [UsageKind, number, number][] = [
    ['site', invoice.site_count, invoice.site_cents],
    ['endpoint', invoice.cdn_endpoint_count, invoice.cdn_endpoint_cents],
    ['bandwidth', invoice.bandwidth_bytes, invoice.bandwidth_cents],
    ['requests', invoice.total_requests, invoice.request_cents],
    ['storage', invoice.storage_byte_hours, invoice.storage_cents],
  ];
  const lines = own.map(([kind, quantity, amountCents]) => ({
    ...line(kind, null, quantity, amountCents, cutOf(kind)),
    ...(kind === 'storage' && { rateCents: invoice.storage_rate_cents }),
  }));
  const late = invoice.adjustments.map((each) =>
    line(
      each.usage_kind,
      { year: each.billing_year, month: each.billing_month },
      each.quantity,
      each.amount_cents,
      0,
    ),
  );
  return [...lines, ...late].filter(({ quantity }) => quantity > 0);
}

function line(
  kind: UsageKind,
  lateMonth: InvoiceLine['lateMonth'],
  quantity: number,
  amountCents: number,
  cutCents: number,
): InvoiceLine {
  const key = lateMonth === null ? kind : `${kind}-${lateMonth.year}-${lateMonth.month}`;
  const units = quantity / Number(RATE_UNITS[kind]);
  const rateCents = printedRateMillicents(kind) / 1_000;
  return { key, kind, lateMonth, quantity, units, rateCents, amountCents, cutCents };
}
