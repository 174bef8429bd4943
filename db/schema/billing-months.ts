import type { BillingMode } from './billing-mode.ts';

/** A month of an organization that is closed: what it is billed from never changes again. */
export interface BillingMonthsTable {
  organization_id: string;
  mode: BillingMode;
  year: number;
  month: number;
  closed_at: number;
  /** JSON of what was used, by site and endpoint. */
  snapshot: string;
  price_version: string;
  /** Null when nothing was to be billed. */
  invoice_id: string | null;
  /** JSON: what all invoices so far have billed of this month, late usage included, by kind as whole numbers in text. */
  billed: string;
}
