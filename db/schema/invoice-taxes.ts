import type { BillingMode } from './billing-mode.ts';

export interface InvoiceTaxesTable {
  invoice_id: string;
  mode: BillingMode;
  position: number;
  name: string;
  /** The operator's own number. */
  registration: string;
  /** Thousandths of a percent. */
  rate_milli: number;
  amount_cents: number;
}
