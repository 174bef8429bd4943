import { z } from 'zod';
import { LANGUAGES } from '../identity/rules.ts';
import { idSchema, instantSchema, lineSchema, shownLineSchema } from '../shared/schema.ts';
import { CREDIT_KINDS } from './credits/credit-rules.ts';
import { USAGE_KINDS } from './months/rating-rules.ts';
import { PROVINCES, TAX_NAMES, TAX_REASONS, toProvince } from './months/tax-rules.ts';
import {
  PAYMENT_STATES,
  REFUND_STATES,
  REVERSAL_KINDS,
  REVERSAL_STATUSES,
} from './payments/reversal-rules.ts';
import { cleanTaxId, DEFAULT_COUNTRY, INVOICE_STATUSES, isTaxId, TAX_ID_TYPES } from './rules.ts';
import { LIMIT_ACTIONS, LIMIT_CENTS_MAX, LIMIT_SCOPES } from './spending/limit-rules.ts';

const shortText = shownLineSchema.max(100);
const requiredText = (message: string) => shortText.min(1, message);
/** Absent, null and empty are equivalent. */
const optionalText = shortText.nullish().transform((text) => (text ? text : null));
const email = z.email().max(254);
const countrySchema = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^([A-Z]{2})?$/, 'must be a country code of two letters, or empty for another country');

/** Tax numbers by type; empty ones are dropped. */
const taxIdsInput = z
  .partialRecord(z.enum(TAX_ID_TYPES), lineSchema.max(50))
  .transform((typed) =>
    Object.fromEntries(
      TAX_ID_TYPES.flatMap((type) => {
        const number = cleanTaxId(type, typed[type] ?? '');
        return number === '' ? [] : [[type, number]];
      }),
    ),
  )
  .superRefine((numbers, refinement) => {
    for (const type of TAX_ID_TYPES) {
      const number: string | undefined = numbers[type];
      if (number !== undefined && !isTaxId(type, number)) {
        refinement.addIssue({ code: 'custom', path: [type], message: `is no ${type} number` });
      }
    }
  });
const taxIdsSchema = z.record(z.string(), z.string());

interface TypedPlace {
  country: string;
  province?: string | null | undefined;
  postal_code?: string | null | undefined;
}

/** In Canada the province determines the taxes, so it must be valid. */
function checkPlace(
  { country, province, postal_code }: TypedPlace,
  names: { province: string; postal_code: string },
  refinement: z.core.$RefinementCtx,
): void {
  if (country !== 'CA') return;
  const blame = (path: string, message: string) =>
    refinement.addIssue({ code: 'custom', path: [path], message });
  if (toProvince(province ?? '') === null) blame(names.province, 'must be a province or territory of Canada');
  if (!/^[A-Za-z]\d[A-Za-z][ -]?\d[A-Za-z]\d$/.test(postal_code ?? '')) {
    blame(names.postal_code, 'must be a Canadian postal code such as H2X 1K4');
  }
}

/** The input of the setup form. */
export const createCustomerInput = z
  .object({
    email,
    name: requiredText('is required'),
    company_name: optionalText,
    address_line1: requiredText('is required'),
    address_line2: optionalText,
    city: requiredText('is required'),
    province: requiredText('is required'),
    postal_code: requiredText('is required'),
    country: countrySchema.default(DEFAULT_COUNTRY),
    tax_ids: taxIdsInput.optional(),
  })
  .superRefine((input, refinement) =>
    checkPlace(input, { province: 'province', postal_code: 'postal_code' }, refinement),
  );
export type CreateCustomerInput = z.input<typeof createCustomerInput>;

/**
 * The whole contact: absent company, phone, second line and tax numbers are cleared. Absent name and email
 * are kept, and so is the address when none of its fields is sent; with an address, an absent country is one
 * that is not in the list.
 */
export const updateContactInput = z
  .object({
    billing_email: email.optional(),
    billing_name: requiredText('must not be empty').optional(),
    billing_company: optionalText,
    billing_phone: optionalText,
    billing_address_line1: optionalText,
    billing_address_line2: optionalText,
    billing_city: optionalText,
    billing_province: optionalText,
    billing_postal_code: optionalText,
    billing_country: countrySchema.optional(),
    tax_ids: taxIdsInput.optional(),
  })
  .superRefine((input, refinement) => {
    if (!hasAddress(input)) return;
    const blame = (path: string) =>
      refinement.addIssue({ code: 'custom', path: [path], message: 'is required' });
    if (input.billing_address_line1 === null) blame('billing_address_line1');
    if (input.billing_city === null) blame('billing_city');
    checkPlace(
      {
        country: input.billing_country ?? '',
        province: input.billing_province,
        postal_code: input.billing_postal_code,
      },
      { province: 'billing_province', postal_code: 'billing_postal_code' },
      refinement,
    );
  });

export type UpdateContactInput = z.input<typeof updateContactInput>;

/** Whether any part of an address was sent. */
export function hasAddress(input: {
  billing_address_line1: string | null;
  billing_city: string | null;
  billing_province: string | null;
  billing_postal_code: string | null;
  billing_country?: string | undefined;
}): boolean {
  const { billing_address_line1, billing_city, billing_province, billing_postal_code } = input;
  const parts = [billing_address_line1, billing_city, billing_province, billing_postal_code];
  return parts.some((part) => part !== null) || input.billing_country !== undefined;
}

export const paymentMethodSchema = z.object({
  id: idSchema,
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number().int(),
  exp_year: z.number().int(),
});
export type PaymentMethod = z.infer<typeof paymentMethodSchema>;

export const customerSchema = z.object({
  id: z.string(),
  payment_methods: z.array(paymentMethodSchema),
  default_payment_method_id: idSchema.nullable(),
  billing_email: z.string(),
  billing_name: z.string(),
  billing_company: z.string().nullable(),
  billing_address_line1: z.string().nullable(),
  billing_address_line2: z.string().nullable(),
  billing_city: z.string().nullable(),
  billing_province: z.string().nullable(),
  billing_postal_code: z.string().nullable(),
  /** Null for a country that is not in the list. */
  billing_country: z.string().nullable(),
  billing_phone: z.string().nullable(),
  tax_ids: taxIdsSchema,
});
export type Customer = z.infer<typeof customerSchema>;

export const paymentMethodInput = z.object({ payment_method_id: idSchema });
/** The setup that the browser has just confirmed with the provider. */
export const addPaymentMethodInput = z.object({ setup_intent_id: lineSchema.max(255).regex(/^\w+$/) });
export const setupIntentSchema = z.object({ client_secret: z.string() });

/** The organization's billing status, which the console's guard uses. */
export const billingStatusSchema = z.object({
  /** `off`: nothing is billed here. */
  mode: z.enum(['off', 'sandbox', 'test', 'live']),
  readiness: z.enum(['off', 'ready', 'grace', 'no_customer', 'no_payment_method']),
  /** Until when things can be created without a card, for organizations that existed before billing. */
  set_up_by: instantSchema.nullable(),
  /** Whether the caller may set up billing. */
  may_manage: z.boolean(),
  /** Who may. */
  owners: z.array(z.string()),
  /** Whether there is an open invoice that could not be charged. */
  has_payment_problem: z.boolean(),
  stripe_publishable_key: z.string().nullable(),
  /** What a GB of storage costs by the month, and another price that holds from a later month on; null where it costs nothing. */
  storage_price: z
    .object({
      cents_per_gb_month: z.number(),
      coming: z.object({ cents_per_gb_month: z.number(), from: z.iso.date() }).nullable(),
    })
    .nullable(),
});
export type BillingStatus = z.infer<typeof billingStatusSchema>;

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

export const setSpendingLimitInput = z
  .object({
    scope: z.enum(LIMIT_SCOPES),
    /** The site or the endpoint; absent for the organization. */
    resource_id: idSchema.nullish(),
    amount_cents: z.number().int().min(0).max(LIMIT_CENTS_MAX),
    action: z.enum(LIMIT_ACTIONS),
  })
  .refine(({ scope, resource_id }) => (scope === 'organization') === (resource_id == null), {
    path: ['resource_id'],
    message: 'names the site or the endpoint, and nothing for the organization',
  });
export const spendingLimitInput = z.object({ limit_id: idSchema });

/**
 * A limit with what has been spent under it this month: with taxes for the organization, without for anything
 * else.
 */
export const spendingLimitSchema = z.object({
  id: idSchema,
  scope: z.enum(LIMIT_SCOPES),
  resource_id: idSchema.nullable(),
  /** Of the site or the endpoint. */
  name: z.string().nullable(),
  amount_cents: cents,
  action: z.enum(LIMIT_ACTIONS),
  spent_cents: cents,
  /**
   * The most that this month is billed, unless storage alone costs more: more than the limit when more had been spent when it was
   * set.
   */
  cap_cents: cents,
  is_stopped: z.boolean(),
});
export type SpendingLimit = z.infer<typeof spendingLimitSchema>;
