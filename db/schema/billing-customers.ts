import type { BillingMode } from './billing-mode.ts';

/** An organization as the payment provider knows it. */
export interface BillingCustomersTable {
  organization_id: string;
  mode: BillingMode;
  /** Null until the provider has answered. */
  provider_id: string | null;
  /** One of `payment_methods`. */
  default_payment_method_id: string | null;
  created_at: number;
  updated_at: number;
  /** When the provider last took the contact and the default; null while a change of them is on its way. */
  synced_at: number | null;
}
