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
import { contactFields, taxIdsSchema } from '../schema.ts';

const cents = z.number().int();
const counted = z.number().meta({ type: 'integer', minimum: 0 });

const taxDetailSchema = z.object({
  tax_name: z
    .enum(TAX_NAMES)
    .describe(
      'Which tax: the federal `GST`, the harmonized `HST`, or a provincial one (`QST`, `PST`, `RST`).',
    ),
  tax_rate: z.number().describe('In percent, such as 9.975.'),
  amount: cents.describe('In cents.'),
});

/** The lines of a month that every invoice has. */
const monthFiguresSchema = z.object({
  billing_month: z.number().int().min(1).max(12).describe('The month that is billed (UTC): 1 to 12.'),
  billing_year: z.number().int().describe('The year of that month, in four digits.'),
  site_count: counted.describe('Sites that existed at any instant of the month.'),
  site_cents: cents.describe('The line of the sites, in cents without taxes.'),
  cdn_endpoint_count: counted.describe('Endpoints that existed at any instant of the month.'),
  cdn_endpoint_cents: cents.describe('The line of the endpoints, in cents without taxes.'),
  bandwidth_bytes: counted.describe('Bytes sent to visitors; a GB of the price is 2^30 of them.'),
  bandwidth_cents: cents.describe('What the bytes cost, in cents, rounded once for the whole month.'),
  total_requests: counted.describe('Requests of visitors that got a response; the price is for a million.'),
  request_cents: cents.describe('What the requests cost, in cents, rounded once for the whole month.'),
  storage_byte_hours: counted.describe(
    'Bytes of buckets times the hours for which they were stored; 0 where storage has no price.',
  ),
  storage_cents: cents.describe('What storing in buckets cost, in cents; 0 where it has no price.'),
  storage_rate_cents: z
    .number()
    .describe(
      'The price of a GB (2^30 bytes) stored for a month of 730 hours, in cents, such as 2.3; 0 where storage ' +
        'has no price.',
    ),
  subtotal_cents: cents.describe('All lines without taxes, in cents.'),
  tax_details: z.array(taxDetailSchema).describe('The taxes on the subtotal; empty when none is charged.'),
  total_cents: cents.describe('Subtotal and taxes, in cents.'),
});

/** Usage of an earlier month that arrived after its invoice. */
const adjustmentSchema = z.object({
  usage_kind: z.enum(USAGE_KINDS).describe('Which line of that earlier month it belongs to.'),
  billing_month: z.number().int().describe('The earlier month (UTC): 1 to 12.'),
  billing_year: z.number().int().describe('The year of the earlier month, in four digits.'),
  quantity: z.number().describe('How much was added, in the unit of the line: bytes, requests or pieces.'),
  amount_cents: cents.describe('What it adds to the subtotal, in cents, at the prices of that month.'),
});

/** What spending limits have removed from a line. */
const limitCutSchema = z.object({
  usage_kind: z.enum(USAGE_KINDS).describe('The line that was cut.'),
  cut_cents: cents.describe('By how many cents, without taxes.'),
});

/** What some months have besides the lines of every month. */
const extraLines = {
  adjustments: z
    .array(adjustmentSchema)
    .describe('Usage of earlier months that arrived after their invoices; part of the subtotal.'),
  limit_cut_cents: cents.describe(
    'What spending limits have removed, in cents; not included in any other amount.',
  ),
  limit_cuts: z.array(limitCutSchema).describe('The same by line; empty when nothing was removed.'),
};

export const reversalSchema = z.object({
  kind: z
    .enum(REVERSAL_KINDS)
    .describe(
      '`refund`: money returned to the card. `dispute`: the payer has contested the payment at the bank.',
    ),
  status: z
    .enum(REVERSAL_STATUSES)
    .describe(
      'Of a refund `pending`, `succeeded` or `failed`; of a dispute `inquiry`, `open`, `won`, `lost` or `closed`.',
    ),
  amount_cents: cents.describe('The amount refunded or disputed, in cents.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'In the words of the payment provider; of a failed refund, why it failed. Null when it gives none.',
    ),
  created_at: instantSchema.describe('When the refund or dispute began.'),
  repaid_at: instantSchema
    .nullable()
    .describe(
      'When it was recorded that the money of a failed refund was given back in another way; null before, and for ' +
        'anything else.',
    ),
  repeated_cents: cents.describe(
    'The part of it that other refunds of this list gave back, in cents; the rest was given back by other means.',
  ),
});

export const creditSchema = z.object({
  kind: z
    .enum(CREDIT_KINDS)
    .describe(
      '`credit` lowers what is due, or is kept for the next invoice; `refund` goes to the card that paid.',
    ),
  refund_state: z
    .enum(REFUND_STATES)
    .nullable()
    .describe(
      'What has become of the money of a refund: the bank `rejected` it, or it was `repaid` by other means ' +
        'afterwards. Null for a credit, and where the payment provider has not said so.',
    ),
  amount_cents: cents.describe('What was given back, in cents, taxes included.'),
  tax_details: z
    .array(taxDetailSchema)
    .describe('The part of the amount that is tax, in proportion to the invoice.'),
  reason: z.string().describe('Why, in the operator’s words.'),
  reason_fr: z.string().nullable().describe('The reason in French; null where it is the same.'),
  created_at: instantSchema.describe('When it was given.'),
});
export type InvoiceCredit = z.infer<typeof creditSchema>;

export const invoiceSchema = monthFiguresSchema.extend({
  id: idSchema.describe('For the calls about this invoice; printed invoices show `number`.'),
  status: z
    .enum(INVOICE_STATUSES)
    .describe('`draft`: not issued yet. `open`: issued and unpaid. `paid`. `void`: never to be paid.'),
  created_at: instantSchema.describe('When the month was closed and the draft written.'),
  number: z.string().nullable().describe('As printed; null until it is issued.'),
  hosted_invoice_url: z
    .string()
    .nullable()
    .describe(
      'An address of this installation that redirects to the payment provider’s page, whose own address ' +
        'expires; null until it is issued.',
    ),
  ...extraLines,
  starting_balance_cents: cents
    .nullable()
    .describe(
      'What the invoice began with, in cents: above zero what earlier invoices left over because it was too small ' +
        'to charge, below zero a credit. Null for a draft, and where it is unknown.',
    ),
  amount_due_cents: cents.describe(
    'The total, with what earlier months that were too small to charge left over, and without what was ' +
      'credited before a payment. In cents.',
  ),
  amount_paid_cents: cents.describe(
    'Of the amount due, in cents: less than it while the invoice is open and was paid in part.',
  ),
  credited_cents: cents.describe(
    'Everything that was credited or refunded by credit notes, in cents, taxes included.',
  ),
  credited_early_cents: cents.describe(
    'The part of it that was credited before a payment and is not in the amount due.',
  ),
  credited_to_card_cents: cents.describe(
    'The part of it that goes to the card that paid; what is in neither part is kept for the next invoice.',
  ),
  credits: z.array(creditSchema).describe('The credit notes, oldest first.'),
  payment_state: z
    .enum(PAYMENT_STATES)
    .nullable()
    .describe(
      'What has become of the payment of a paid invoice; null when it stands. `inquiry`: the bank asks, no ' +
        'money has moved. `disputed`: the bank keeps the money until it has decided. `charged_back`: the payer ' +
        'has it back.',
    ),
  refunded_cents: cents.describe('What has gone back to the payer by refunds, in cents.'),
  rejected_cents: cents.describe(
    'Refunds that the bank of the card rejected, in cents: still owed to the customer.',
  ),
  disputed_cents: cents.describe('Kept by the payer’s bank until it has decided a dispute, in cents.'),
  charged_back_cents: cents.describe('Given back to the payer by a bank, in cents: the dispute is lost.'),
  reversals: z.array(reversalSchema).describe('Refunds and disputes, as the payment provider has them.'),
  tax_reason: z
    .enum(TAX_REASONS)
    .nullable()
    .describe(
      'Why taxes are charged or not: `taxable`, `outside_canada` (zero-rated) or `not_registered` (the seller ' +
        'collects none there). Null until the buyer’s place is known.',
    ),
  payment_problem: z
    .string()
    .nullable()
    .describe('Why the last attempt to charge it failed; null when none did.'),
});
export type Invoice = z.infer<typeof invoiceSchema>;

/** The buyer, as printed. */
export const buyerSchema = z.object({
  name: z.string().describe('Whom the invoice is addressed to.'),
  company: contactFields.company,
  email: z.string().describe('Where the invoice was sent.'),
  phone: contactFields.phone,
  address_line1: contactFields.address_line1,
  address_line2: contactFields.address_line2,
  city: contactFields.city,
  province: contactFields.province,
  postal_code: contactFields.postal_code,
  country: contactFields.country,
  tax_ids: taxIdsSchema,
});
export type Buyer = z.infer<typeof buyerSchema>;

/** The seller, as printed, with its tax registrations. */
export const sellerSchema = z.object({
  name: z.string().describe('Who issued the invoice.'),
  address: z.string().describe('Where the seller is, with line breaks.'),
  registrations: z
    .record(z.string(), z.string())
    .describe('The seller’s tax registration numbers by kind: `GST`, `QST`, `PST-BC`, `RST-MB`, `PST-SK`.'),
});
export type Seller = z.infer<typeof sellerSchema>;

export const invoiceDetailSchema = invoiceSchema.extend({
  buyer: buyerSchema.nullable().describe('The buyer, as printed; null until the invoice is issued.'),
  seller: sellerSchema.nullable().describe('The seller, as printed; null until the invoice is issued.'),
  tax_place: z
    .object({
      country: contactFields.country,
      province: z
        .enum(PROVINCES)
        .nullable()
        .describe('The two letters of the province or territory; null outside Canada.'),
    })
    .nullable()
    .describe(
      'Where the buyer was when the month closed, which determines the taxes; null unless the buyer’s address ' +
        'is elsewhere now.',
    ),
  finalized_at: instantSchema.nullable().describe('When it was issued; null while it is a draft.'),
  paid_at: instantSchema.nullable().describe('When it was paid; null while it is not.'),
});
export type InvoiceDetail = z.infer<typeof invoiceDetailSchema>;

export const invoiceInput = z.object({ invoice_id: idSchema });
/** The token of a link to an invoice: what follows its `#`. */
export const invoiceLinkInput = z.object({
  token: lineSchema.min(1).max(100).describe('What follows `#` in the link to the invoice.'),
});
/** An invoice as whoever has its link sees it. */
export const linkedInvoiceSchema = invoiceDetailSchema.extend({
  organization_name: z
    .string()
    .describe('Of the organization that the invoice is for, which may have been deleted.'),
  is_payable: z.boolean().describe('Whether it awaits payment.'),
  expires_at: instantSchema.describe('When the link stops working.'),
});
export type LinkedInvoice = z.infer<typeof linkedInvoiceSchema>;
/** The provider's page of an invoice; its address expires. */
export const hostedInvoiceSchema = z.object({
  url: z
    .string()
    .describe(
      'The payment provider’s page on which the invoice is paid. It expires: ask again instead of storing it.',
    ),
});

/** The language of an invoice file; the customer's by default. */
export const invoiceFileInput = z.object({
  language: z
    .enum(LANGUAGES)
    .optional()
    .describe('The language of the file; that of the billing customer when absent.'),
});
export const invoiceLinkFileInput = invoiceLinkInput.extend(invoiceFileInput.shape);

/** What an invoice was calculated from: the sites and endpoints, and what each served. */
export const invoiceUsageSchema = z.object({
  start_date: z.iso.date().describe('The first day of the billed month (UTC).'),
  end_date: z.iso
    .date()
    .describe('Its last billed day (UTC), included, as on the usage pages and in their CSV.'),
  resources: z
    .array(
      z.object({
        id: idSchema.describe('The id of the site or endpoint.'),
        type: z.enum(['site', 'endpoint']).describe('Whether it counts as a site or as an endpoint.'),
        name: z.string().describe('Its name or hostname in that month.'),
      }),
    )
    .describe('The sites and endpoints that were counted.'),
  served: z
    .array(
      z.object({
        cdn_endpoint_id: idSchema.nullable().describe('The endpoint; null for a site’s platform names.'),
        site_id: idSchema.nullable().describe('The site that was served; null for redirects.'),
        name: z.string().nullable().describe('A hostname or a site’s name; null if it is no longer known.'),
        total_bytes_sent: counted.describe('Bytes sent to visitors.'),
        total_requests: counted.describe('Requests that got a response.'),
      }),
    )
    .describe('What each endpoint, and each site at its platform names, served in the month.'),
  stored: z
    .array(
      z.object({
        bucket_id: idSchema.describe('The bucket, which may have been deleted since.'),
        name: z.string().describe('Its name in that month.'),
        byte_hours: counted.describe('Bytes times the hours for which they were stored in the month.'),
      }),
    )
    .describe('What each bucket held; empty where storage has no price.'),
});
export type InvoiceUsage = z.infer<typeof invoiceUsageSchema>;

/** The cost of a running month so far, and its forecast. */
export const costSchema = monthFiguresSchema.extend({
  ...extraLines,
  forecast_total_cents: cents.describe(
    'What the whole month will cost at this pace, in cents, taxes included.',
  ),
  as_of: instantSchema.describe('Until when usage is counted.'),
});
export type Cost = z.infer<typeof costSchema>;
