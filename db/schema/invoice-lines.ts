import type { BillingMode } from './billing-mode.ts';

export interface InvoiceLinesTable {
  invoice_id: string;
  mode: BillingMode;
  position: number;
  kind: InvoiceLinesTable['usage_kind'] | 'adjustment';
  usage_kind: 'site' | 'endpoint' | 'bandwidth' | 'requests' | 'storage';
  /** A whole number as text: bytes can be more than a number holds exactly. */
  quantity: string;
  usage_year: number;
  usage_month: number;
  /** Of the unit that is printed, rounded to the cent: a site, an endpoint, a GB, a million requests, a GB stored for a month. */
  rate_cents: number;
  /** The same to the thousandth of a cent; null in lines from before storage had a price. */
  rate_millicents: number | null;
  amount_cents: number;
  /** What a spending limit has removed. */
  cut_cents: number;
}
