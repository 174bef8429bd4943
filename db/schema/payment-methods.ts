import type { BillingMode } from './billing-mode.ts';

/** A card that a provider keeps; of its number only the end is known here. */
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
