import type { BillingMode } from './billing-mode.ts';

/** A card stored at a provider; only the last digits of its number are known here. */
export interface PaymentMethodsTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  provider_id: string;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  created_at: number;
  removed_at: number | null;
}
