import { z } from 'zod';
import { idSchema, instantSchema, lineSchema, shownLineSchema, typedEmailSchema } from '../shared/schema.ts';
import { toProvince } from './months/tax-rules.ts';
import { cleanTaxId, DEFAULT_COUNTRY, isTaxId, TAX_ID_TYPES } from './rules.ts';

const shortText = shownLineSchema.max(100);
const requiredText = (message: string) => shortText.min(1, message);
/** Absent, null and empty are equivalent. */
const optionalText = shortText.nullish().transform((text) => (text ? text : null));
const companyInput = optionalText.describe(
  'The company on invoices, at most 100 characters; absent or empty for none.',
);
const addressLine2Input = optionalText.describe(
  'Suite, floor or building, at most 100 characters; absent or empty for none.',
);
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
  })
  .describe(
    'Tax numbers by type, 50 characters each at most. Spaces and punctuation are removed; an empty number is ' +
      'dropped. GST and HST: `123456789RT0001`; QST: `1234567890TQ0001`.',
  );
export const taxIdsSchema = z
  .record(z.string(), z.string())
  .describe('Tax numbers by type: `GST`, `HST`, `QST` or `Other`. Empty when there are none.');

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
    email: typedEmailSchema.describe('Where invoices are sent; at most 254 characters.'),
    name: requiredText('is required').describe('Whom invoices are addressed to: 1 to 100 characters.'),
    company_name: companyInput,
    address_line1: requiredText('is required').describe('Street and number, 1 to 100 characters.'),
    address_line2: addressLine2Input,
    city: requiredText('is required').describe('The municipality, 1 to 100 characters.'),
    province: requiredText('is required').describe(
      'In Canada a province or territory, as code (`QC`) or name, which determines the taxes. Elsewhere the region.',
    ),
    postal_code: requiredText('is required').describe('In Canada it must have the form `H2X 1K4`.'),
    country: countrySchema
      .default(DEFAULT_COUNTRY)
      .describe('Two letters (ISO 3166-1), or empty for one that the console does not list.'),
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
    billing_email: typedEmailSchema
      .optional()
      .describe('Where invoices are sent; stays as it is when absent.'),
    billing_name: requiredText('must not be empty')
      .optional()
      .describe('Whom invoices are addressed to; stays as it is when absent.'),
    billing_company: companyInput,
    billing_phone: optionalText.describe('A number to call about invoices; absent or empty removes it.'),
    billing_address_line1: optionalText.describe(
      'Street and number. Required as soon as any other part of the address is sent; without any, the address ' +
        'stays.',
    ),
    billing_address_line2: addressLine2Input,
    billing_city: optionalText.describe('The municipality. Required with any other part of the address.'),
    billing_province: optionalText.describe(
      'In Canada a province or territory, as code (`QC`) or name, which determines the taxes of the next months ' +
        'that close.',
    ),
    billing_postal_code: optionalText.describe('In Canada it must have the form `H2X 1K4`.'),
    billing_country: countrySchema
      .optional()
      .describe(
        'Two letters (ISO 3166-1). With an address, absent or empty means a country that the console does not list.',
      ),
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

const paymentMethodSchema = z.object({
  id: idSchema.describe('For choosing the default card and for removing it.'),
  brand: z.string().describe('The network of the card as the payment provider writes it, such as `visa`.'),
  last4: z.string().describe('The end of the card number: four digits.'),
  exp_month: z.number().int().describe('The last month in which the card can be charged: 1 to 12.'),
  exp_year: z.number().int().describe('The year of that month, in four digits.'),
});
export type PaymentMethod = z.infer<typeof paymentMethodSchema>;

/** A contact in answers: what customers have, and what is printed on invoices. */
export const contactFields = {
  company: z.string().nullable().describe('The company on invoices; null for none.'),
  phone: z.string().nullable().describe('A number to call about invoices; null for none.'),
  address_line1: z.string().nullable().describe('Street and number; null while no address is known.'),
  address_line2: z.string().nullable().describe('Suite, floor or building; null for none.'),
  city: z.string().nullable().describe('The municipality; null while no address is known.'),
  province: z
    .string()
    .nullable()
    .describe(
      'In Canada the two letters of the province or territory, which determines the taxes; elsewhere the ' +
        'region, or null.',
    ),
  postal_code: z
    .string()
    .nullable()
    .describe(
      'In Canada of the form `H2X 1K4`; null while no address is known, and in countries without one.',
    ),
  country: z
    .string()
    .nullable()
    .describe('Two letters (ISO 3166-1); null for a country that the console does not list.'),
};

export const customerSchema = z.object({
  id: z.string().describe('The payment provider’s id of the customer.'),
  payment_methods: z.array(paymentMethodSchema).describe('The cards that can be charged, oldest first.'),
  default_payment_method_id: idSchema
    .nullable()
    .describe('The card that invoices are charged to; null while there is none.'),
  billing_email: z.string().describe('Where invoices are sent; empty while no contact is known.'),
  billing_name: z.string().describe('Whom invoices are addressed to; empty while no contact is known.'),
  billing_company: contactFields.company,
  billing_address_line1: contactFields.address_line1,
  billing_address_line2: contactFields.address_line2,
  billing_city: contactFields.city,
  billing_province: contactFields.province,
  billing_postal_code: contactFields.postal_code,
  billing_country: contactFields.country,
  billing_phone: contactFields.phone,
  tax_ids: taxIdsSchema,
});
export type Customer = z.infer<typeof customerSchema>;

export const paymentMethodInput = z.object({
  payment_method_id: idSchema.describe('The card: `id` in `payment_methods`.'),
});
/** The setup that the browser has just confirmed with the provider. */
export const addPaymentMethodInput = z.object({
  setup_intent_id: lineSchema
    .max(255)
    .regex(/^\w+$/)
    .describe('The payment provider’s id of the setup that the browser has just confirmed.'),
});
export const setupIntentSchema = z.object({
  client_secret: z
    .string()
    .describe(
      'What the payment provider’s script in the browser confirms the card with. It is of no use without the ' +
        'publishable key.',
    ),
});

/** The organization's billing status, which the console's guard uses. */
export const billingStatusSchema = z.object({
  mode: z
    .enum(['off', 'sandbox', 'test', 'live'])
    .describe(
      '`off`: nothing is billed here. `sandbox`: billing is simulated on this machine. `test`, `live`: the ' +
        'payment provider, without or with real money.',
    ),
  readiness: z
    .enum(['off', 'ready', 'grace', 'no_customer', 'no_payment_method'])
    .describe(
      'Whether sites and endpoints can be created. `off`, `ready` and `grace` (not set up, but `set_up_by` is ' +
        'still ahead): yes. `no_customer` and `no_payment_method` name what is missing; creating is then 402.',
    ),
  set_up_by: instantSchema
    .nullable()
    .describe(
      'Until when things can be created without a card; null once billing is set up, and for organizations ' +
        'without such a delay.',
    ),
  may_manage: z.boolean().describe('Whether the caller may set up and change billing.'),
  owners: z
    .array(z.string())
    .describe('The people who may, as names to show; empty while nothing is billed.'),
  has_payment_problem: z.boolean().describe('True while an open invoice could not be charged.'),
  stripe_publishable_key: z
    .string()
    .nullable()
    .describe(
      'The public key that the provider’s script in the browser needs; null while nothing is billed.',
    ),
  storage_price: z
    .object({
      cents_per_gb_month: z
        .number()
        .describe(
          'Cents of Canadian dollars for a GB (2^30 bytes) stored for a month of 730 hours; may have decimals ' +
            '(2.3). 0 while it still costs nothing.',
        ),
      coming: z
        .object({
          cents_per_gb_month: z.number().describe('The announced price, in the same unit.'),
          from: z.iso
            .date()
            .describe('The first day (UTC) on which it applies, always the first of a month.'),
        })
        .nullable()
        .describe('Another price that has been announced; null if none has.'),
    })
    .nullable()
    .describe('What storing in buckets costs; null where it costs nothing.'),
});
export type BillingStatus = z.infer<typeof billingStatusSchema>;
