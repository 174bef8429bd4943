import type { BillingMode } from './billing-mode.ts';

export interface InvoiceLinesTable {
  invoice_id: string;
  mode: BillingMode;
  position: number;
  kind: 'site' | 'endpoint' | 'bandwidth' | 'requests' | 'adjustment';
  usage_kind: 'site' | 'endpoint' | 'bandwidth' | 'requests';
  /** An integer as text: bytes can exceed what a number holds exactly. */
  quantity: string;
  usage_year: number;
  usage_month: number;
  /** Per printed unit: a site, an endpoint, a GB, a million requests. */
  rate_cents: number;
  amount_cents: number;
  /** What a spending limit has removed. */
  cut_cents: number;
}
