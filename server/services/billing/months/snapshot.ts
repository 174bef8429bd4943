import { z } from 'zod';
import {
  computeInvoice,
  type InvoiceFigures,
  type LateUsage,
  type Quantities,
} from '../invoices/invoice-rules.ts';
import { quantitiesOf } from './measure-usage.ts';
import type { BillingMonth } from './month-rules.ts';
import { isPriceVersion, type Prices, USAGE_KINDS } from './rating-rules.ts';
import { PROVINCES, type Registrations, type TaxPlace } from './tax-rules.ts';

const whole = z.string().regex(/^\d+$/);
const quantitiesSchema = z.object({
  site: whole,
  endpoint: whole,
  bandwidth: whole,
  requests: whole,
  storage: whole.default('0'),
});
/** Thousandths of a cent for a GB that is stored for a month; what was written before there was such a price has none. */
const storageMillicents = z.number().int().nonnegative().default(0);

/** Where a buyer is. */
export const taxPlaceSchema = z.object({
  country: z.string().nullable(),
  province: z.enum(PROVINCES).nullable(),
});

/** What a month was billed from: enough to calculate its invoice again, whatever has happened since. */
export const snapshotSchema = z.object({
  /** Whole days, half-open: later than the first of the month if billing began in it. */
  start: z.number().int(),
  end: z.number().int(),
  price_version: z.string().refine(isPriceVersion),
  storage_millicents: storageMillicents,
  tax_version: z.string(),
  /** Where the buyer was when the month closed: the month was supplied there. Null while that was unknown. */
  place: taxPlaceSchema.nullable().default(null),
  resources: z.array(z.object({ id: z.string(), type: z.enum(['site', 'endpoint']), name: z.string() })),
  served: z.array(
    z.object({
      endpoint_id: z.string().nullable(),
      site_id: z.string().nullable(),
      bytes: whole,
      requests: whole,
    }),
  ),
  /** What each bucket held, in byte-hours, where storage has a price. */
  stored: z.array(z.object({ bucket_id: z.string(), name: z.string(), byte_hours: whole })).default([]),
  late: z.array(
    z.object({
      year: z.number().int(),
      month: z.number().int(),
      price_version: z.string().refine(isPriceVersion),
      storage_millicents: storageMillicents,
      billed: quantitiesSchema,
      known: quantitiesSchema,
    }),
  ),
  cuts: z.array(z.object({ kind: z.enum(USAGE_KINDS), cents: z.number().int().nonnegative() })),
  /** Whether a spending limit could stop anything: usage that arrives late is not billed then. */
  is_limited: z.boolean(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export function readSnapshot(stored: string): Snapshot {
  return snapshotSchema.parse(JSON.parse(stored));
}

/** Returns quantities in their stored format. */
export function storeQuantities(quantities: Quantities): z.infer<typeof quantitiesSchema> {
  return {
    site: String(quantities.site),
    endpoint: String(quantities.endpoint),
    bandwidth: String(quantities.bandwidth),
    requests: String(quantities.requests),
    storage: String(quantities.storage),
  };
}

function readQuantities(stored: z.infer<typeof quantitiesSchema>): Quantities {
  return {
    site: BigInt(stored.site),
    endpoint: BigInt(stored.endpoint),
    bandwidth: BigInt(stored.bandwidth),
    requests: BigInt(stored.requests),
    storage: BigInt(stored.storage),
  };
}

/** Parses quantities stored as JSON. */
export function parseQuantities(json: string): Quantities {
  return readQuantities(quantitiesSchema.parse(JSON.parse(json)));
}

/** Returns the prices that were frozen. */
export function pricesOf(frozen: Pick<Snapshot, 'price_version' | 'storage_millicents'>): Prices {
  return { version: frozen.price_version, storageMillicents: frozen.storage_millicents };
}

/** Returns the invoice of a snapshot, for a buyer at a place: always the same one. */
export function recomputeInvoice(
  month: BillingMonth,
  snapshot: Snapshot,
  place: TaxPlace,
  registrations: Registrations,
): InvoiceFigures {
  return computeInvoice({
    month,
    prices: pricesOf(snapshot),
    quantities: quantitiesOf(snapshot),
    late: snapshot.late.map(
      ({ year, month: late, billed, known, ...priced }): LateUsage => ({
        month: { year, month: late },
        prices: pricesOf(priced),
        billed: readQuantities(billed),
        known: readQuantities(known),
      }),
    ),
    cuts: snapshot.cuts,
    place,
    registrations,
  });
}
