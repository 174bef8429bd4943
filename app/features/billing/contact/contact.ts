import { DEFAULT_COUNTRY, TAX_ID_TYPES, type TaxIdType } from '#server/services/billing/rules.ts';
import type { CreateCustomerInput, Customer, UpdateContactInput } from '#server/services/billing/schema.ts';
import type { TypedValues } from '../../../components/forms/use-schema-form.ts';

/**
 * A billing contact as a form shows it: texts, empty when absent. `billing_country` is empty for a country
 * outside the list.
 */
export interface Contact {
  billing_name: string;
  billing_email: string;
  billing_company: string;
  billing_phone: string;
  billing_address_line1: string;
  billing_address_line2: string;
  billing_city: string;
  billing_province: string;
  billing_postal_code: string;
  billing_country: string;
  tax_ids: Readonly<Record<string, string>>;
}

/** Tax numbers of one form: one per type. */
export const TAX_ID_ROWS_MAX = TAX_ID_TYPES.length;
/** The names of the fields of a row of tax numbers. */
export const taxTypeName = (row: number) => `tax_type_${row}`;
export const taxNumberName = (row: number) => `tax_number_${row}`;

/** Returns the initial values of a setup form. */
export function newContact(known: { name: string; email: string; company: string }): Contact {
  return {
    billing_name: known.name,
    billing_email: known.email,
    billing_company: known.company,
    billing_phone: '',
    billing_address_line1: '',
    billing_address_line2: '',
    billing_city: '',
    billing_province: '',
    billing_postal_code: '',
    billing_country: DEFAULT_COUNTRY,
    tax_ids: {},
  };
}

/** Returns the contact of a customer. */
export function contactOf(customer: Customer): Contact {
  return {
    billing_name: customer.billing_name,
    billing_email: customer.billing_email,
    billing_company: customer.billing_company ?? '',
    billing_phone: customer.billing_phone ?? '',
    billing_address_line1: customer.billing_address_line1 ?? '',
    billing_address_line2: customer.billing_address_line2 ?? '',
    billing_city: customer.billing_city ?? '',
    billing_province: customer.billing_province ?? '',
    billing_postal_code: customer.billing_postal_code ?? '',
    billing_country: customer.billing_country ?? '',
    tax_ids: customer.tax_ids,
  };
}

/** A tax number as it is typed; the type is empty until one is chosen. */
export interface TypedTaxId {
  type: string;
  number: string;
}

/** Returns the rows of tax numbers that were typed. */
function readTaxIds(typed: TypedValues): TypedTaxId[] {
  return Array.from({ length: TAX_ID_ROWS_MAX }, (_, row) => ({
    type: typed[taxTypeName(row)] ?? '',
    number: (typed[taxNumberName(row)] ?? '').trim(),
  }));
}

/** Returns the typed tax numbers that have a type, as initial values of a form. */
export function toTaxIds(typed: TypedValues): Contact['tax_ids'] {
  const rows = readTaxIds(typed).filter(({ type }) => type !== '');
  return Object.fromEntries(rows.map(({ type, number }) => [type, number]));
}

/**
 * Returns the typed values as input for the server: empty fields and incomplete tax numbers are omitted. Name
 * and email stay even when empty, so that validation requires them.
 */
export function toContactInput(typed: TypedValues): UpdateContactInput {
  const entries = Object.entries(typed).filter(
    ([name, value]) =>
      name.startsWith('billing_') &&
      (value.trim() !== '' || name === 'billing_name' || name === 'billing_email'),
  );
  const complete = readTaxIds(typed).filter(
    (row): row is { type: TaxIdType; number: string } => isTaxIdType(row.type) && row.number !== '',
  );
  return {
    ...Object.fromEntries(entries),
    ...(complete.length > 0 && {
      tax_ids: Object.fromEntries(complete.map(({ type, number }) => [type, number])),
    }),
  };
}

function isTaxIdType(type: string): type is TaxIdType {
  return TAX_ID_TYPES.some((known) => known === type);
}

/** Returns the payload of a new customer, which has no phone. */
export function toCustomerInput(contact: UpdateContactInput): CreateCustomerInput {
  const optional = {
    company_name: contact.billing_company,
    address_line2: contact.billing_address_line2,
    tax_ids: contact.tax_ids,
  };
  const given = Object.entries(optional).filter(([, value]) => value != null);
  return {
    email: contact.billing_email ?? '',
    name: contact.billing_name ?? '',
    address_line1: contact.billing_address_line1 ?? '',
    city: contact.billing_city ?? '',
    province: contact.billing_province ?? '',
    postal_code: contact.billing_postal_code ?? '',
    country: contact.billing_country ?? '',
    ...Object.fromEntries(given),
  };
}
