import type { BillingMode } from './billing-mode.ts';

export interface InvoiceLinesTable {
  invoice_id: string;
  mode: BillingMode;
  position: number;
  kind: 'site' | 'endpoint' | 'bandwidth' | 'requests' | 'adjustment';
  usage_kind: 'site' | 'endpoint' | 'bandwidth' | 'requests';
  /** A whole number as text: bytes can be more than a number holds exactly. */
  quantity: string;
  usage_year: number;
  usage_month: number;
  /** Of the unit that is printed: a site, an endpoint, a GB, a million requests. */
  rate_cents: number;
  amount_cents: number;
  /** What a spending limit has taken away. */
  cut_cents: number;
}
