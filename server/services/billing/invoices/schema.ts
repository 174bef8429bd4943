import { z } from 'zod';
import { LANGUAGES } from '../../identity/rules.ts';
import { idSchema, instantSchema, lineSchema } from '../../shared/schema.ts';
import { CREDIT_KINDS } from '../credits/credit-rules.ts';
import { USAGE_KINDS } from '../months/rating-rules.ts';
import { PROVINCES, TAX_NAMES, TAX_REASONS } from '../months/tax-rules.ts';
import {
  PAYMENT_STATES,
  REFUND_STATES,
  REVERSAL_KINDS,
  REVERSAL_STATUSES,
} from '../payments/reversal-rules.ts';
import { INVOICE_STATUSES } from '../rules.ts';
import { taxIdsSchema } from '../schema.ts';

const cents = z.number().int();
const counted = z.number().meta({ type: 'integer', minimum: 0 });

export const taxDetailSchema = z.object({
  tax_name: z.enum(TAX_NAMES),
  /** Percent: 9.975. */
  tax_rate: z.number(),
  amount: cents,
});

/** The lines of a month that every invoice has. */
export const monthFiguresSchema = z.object({
  billing_month: z.number().int().min(1).max(12),
  billing_year: z.number().int(),
  site_count: counted,
  site_cents: cents,
  cdn_endpoint_count: counted,
  cdn_endpoint_cents: cents,
  bandwidth_bytes: counted,
  bandwidth_cents: cents,
  total_requests: counted,
  request_cents: cents,
  /** Bytes of buckets times the hours for which they were stored; 0 where storage has no price. */
  storage_byte_hours: counted,
  storage_cents: cents,
  /** Of a GB stored for a month of 730 hours: 2.3; 0 where storage has no price. */
  storage_rate_cents: z.number(),
  subtotal_cents: cents,
  tax_details: z.array(taxDetailSchema),
  total_cents: cents,
});

/** Usage of an earlier month that arrived after its invoice. */
export const adjustmentSchema = z.object({
  usage_kind: z.enum(USAGE_KINDS),
  billing_month: z.number().int(),
  billing_year: z.number().int(),
  quantity: z.number(),
  amount_cents: cents,
});

/** What spending limits have removed from a line. */
export const limitCutSchema = z.object({ usage_kind: z.enum(USAGE_KINDS), cut_cents: cents });

export const reversalSchema = z.object({
  kind: z.enum(REVERSAL_KINDS),
  /** Of a refund `pending`, `succeeded` or `failed`; of a dispute `inquiry`, `open`, `won`, `lost` or `closed`. */
  status: z.enum(REVERSAL_STATUSES),
  amount_cents: cents,
  /** In the words of the payment provider; of a failed refund, why it failed. */
  reason: z.string().nullable(),
  created_at: instantSchema,
  /** When money of a failed refund was given back by other means; null before. */
  repaid_at: instantSchema.nullable(),
});

export const creditSchema = z.object({
  /** `credit` lowers what is due, or is kept for the next invoice; `refund` goes to the card that paid. */
  kind: z.enum(CREDIT_KINDS),
  /**
   * What has become of the money of a refund: the bank `rejected` it, or it was `repaid` by other means afterwards. Null for a
   * credit, and where the payment provider has not said so.
   */
  refund_state: z.enum(REFUND_STATES).nullable(),
  /** With its taxes. */
  amount_cents: cents,
  /** The part of the amount that is tax, in proportion to the invoice. */
  tax_details: z.array(taxDetailSchema),
  reason: z.string(),
  /** The reason in French; null where it is the same. */
  reason_fr: z.string().nullable(),
  created_at: instantSchema,
});
export type InvoiceCredit = z.infer<typeof creditSchema>;

export const invoiceSchema = monthFiguresSchema.extend({
  id: idSchema,
  status: z.enum(INVOICE_STATUSES),
  created_at: instantSchema,
  /** As printed; null until it is issued. */
  number: z.string().nullable(),
  /** Our own address: it redirects to the provider's page, whose address expires. */
  hosted_invoice_url: z.string().nullable(),
  adjustments: z.array(adjustmentSchema),
  /** What spending limits have removed; not included in any other amount. */
  limit_cut_cents: cents,
  limit_cuts: z.array(limitCutSchema),
  /** The total with what earlier months that were too small to charge left over, and without what was credited before a payment. */
  amount_due_cents: cents,
  /** Of the amount due: less than it while the invoice is open and was paid in part. */
  amount_paid_cents: cents,
  credited_cents: cents,
  /** The part of it that was credited before a payment and is not in the amount due. */
  credited_early_cents: cents,
  /** The part of it that goes to the card that paid; what is in neither part is kept for the next invoice. */
  credited_to_card_cents: cents,
  /** Everything that was credited, oldest first. */
  credits: z.array(creditSchema),
  /** What has become of the payment of a paid invoice; null when it stands. */
  payment_state: z.enum(PAYMENT_STATES).nullable(),
  refunded_cents: cents,
  /** Refunds that the bank of the card rejected: still owed to the customer. */
  rejected_cents: cents,
  /** Kept by the payer's bank until it has decided a dispute. */
  disputed_cents: cents,
  /** Given back to the payer by a bank: the dispute is lost. */
  charged_back_cents: cents,
  /** Refunds and disputes, as the payment provider has them. */
  reversals: z.array(reversalSchema),
  tax_reason: z.enum(TAX_REASONS).nullable(),
  /** Why the last attempt to charge it failed; null when none did. */
  payment_problem: z.string().nullable(),
});
export type Invoice = z.infer<typeof invoiceSchema>;

/** The buyer, as printed. */
export const buyerSchema = z.object({
  name: z.string(),
  company: z.string().nullable(),
  email: z.string(),
  phone: z.string().nullable(),
  address_line1: z.string().nullable(),
  address_line2: z.string().nullable(),
  city: z.string().nullable(),
  province: z.string().nullable(),
  postal_code: z.string().nullable(),
  country: z.string().nullable(),
  tax_ids: taxIdsSchema,
});
export type Buyer = z.infer<typeof buyerSchema>;

/** The seller, as printed, with its tax registrations. */
export const sellerSchema = z.object({
  name: z.string(),
  address: z.string(),
  registrations: z.record(z.string(), z.string()),
});
export type Seller = z.infer<typeof sellerSchema>;

export const invoiceDetailSchema = invoiceSchema.extend({
  buyer: buyerSchema.nullable(),
  seller: sellerSchema.nullable(),
  /** Where the buyer was when the month closed, which determines the taxes; null unless the buyer's address is elsewhere now. */
  tax_place: z.object({ country: z.string().nullable(), province: z.enum(PROVINCES).nullable() }).nullable(),
  finalized_at: instantSchema.nullable(),
  paid_at: instantSchema.nullable(),
});
export type InvoiceDetail = z.infer<typeof invoiceDetailSchema>;

export const invoiceInput = z.object({ invoice_id: idSchema });
/** The token of a link to an invoice: what follows its `#`. */
export const invoiceLinkInput = z.object({ token: lineSchema.min(1).max(100) });
/** An invoice as whoever has its link sees it. */
export const linkedInvoiceSchema = invoiceDetailSchema.extend({
  organization_name: z.string(),
  /** Whether it awaits payment. */
  is_payable: z.boolean(),
  /** When the link stops working. */
  expires_at: instantSchema,
});
export type LinkedInvoice = z.infer<typeof linkedInvoiceSchema>;
/** The provider's page of an invoice; its address expires. */
export const hostedInvoiceSchema = z.object({ url: z.string() });

/** The language of an invoice file; the customer's by default. */
export const invoiceFileInput = z.object({ language: z.enum(LANGUAGES).optional() });
export const invoiceLinkFileInput = invoiceLinkInput.extend(invoiceFileInput.shape);

/** What an invoice was calculated from: the sites and endpoints, and what each served. */
export const invoiceUsageSchema = z.object({
  /** Both inclusive, like on the usage pages and their CSV. */
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  resources: z.array(z.object({ id: idSchema, type: z.enum(['site', 'endpoint']), name: z.string() })),
  served: z.array(
    z.object({
      /** Null for a site's platform names. */
      cdn_endpoint_id: idSchema.nullable(),
      site_id: idSchema.nullable(),
      name: z.string().nullable(),
      total_bytes_sent: counted,
      total_requests: counted,
    }),
  ),
  /** What each bucket held; empty where storage has no price. */
  stored: z.array(z.object({ bucket_id: idSchema, name: z.string(), byte_hours: counted })),
});
export type InvoiceUsage = z.infer<typeof invoiceUsageSchema>;

/** The cost of a running month so far, and its forecast. */
export const costSchema = monthFiguresSchema.extend({
  adjustments: z.array(adjustmentSchema),
  limit_cut_cents: cents,
  limit_cuts: z.array(limitCutSchema),
  /** Of the whole month. */
  forecast_total_cents: cents,
  /** Until when usage is counted. */
  as_of: instantSchema,
});
export type Cost = z.infer<typeof costSchema>;
