import type { BillingMode } from './billing-mode.ts';

/** An organization as a customer of the payment provider. */
export interface BillingCustomersTable {
  organization_id: string;
  mode: BillingMode;
  /** Null until the provider has responded. */
  provider_id: string | null;
  /** One of `payment_methods`. */
  default_payment_method_id: string | null;
  created_at: number;
  updated_at: number;
  /** When the provider last accepted the contact and the default; null while a change to them is pending. */
  synced_at: number | null;
}
