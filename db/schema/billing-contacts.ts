import type { BillingMode } from './billing-mode.ts';

/** Who invoices are made out to. */
export interface BillingContactsTable {
  organization_id: string;
  mode: BillingMode;
  name: string;
  email: string;
  company: string | null;
  address_line1: string | null;
  address_line2: string | null;
  city: string | null;
  /** In Canada, the postal abbreviation. */
  province: string | null;
  postal_code: string | null;
  /** Two-letter ISO 3166 code; null for a country that is not in the list. */
  country: string | null;
  phone: string | null;
  /** JSON: tax ids by their type. */
  tax_ids: string;
  /** What the people who managed the organization read, noted when it was deleted; null before, and when it was unknown. */
  last_language: string | null;
  updated_at: number;
}
