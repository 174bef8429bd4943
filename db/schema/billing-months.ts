import type { BillingMode } from './billing-mode.ts';

/** A closed month of an organization: what it is billed from never changes again. */
export interface BillingMonthsTable {
  organization_id: string;
  mode: BillingMode;
  year: number;
  month: number;
  closed_at: number;
  /** JSON of the usage, by site and endpoint. */
  snapshot: string;
  price_version: string;
  /** Null when there was nothing to bill. */
  invoice_id: string | null;
  /**
   * JSON: what all invoices so far have billed for this month, including late usage, by kind as integers in
   * text.
   */
  billed: string;
}
