import { z } from 'zod';
import { idSchema, instantSchema, lineSchema, shownLineSchema } from '../shared/schema.ts';
import { toProvince } from './months/tax-rules.ts';
import { cleanTaxId, DEFAULT_COUNTRY, isTaxId, TAX_ID_TYPES } from './rules.ts';

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
export const taxIdsSchema = z.record(z.string(), z.string());

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
