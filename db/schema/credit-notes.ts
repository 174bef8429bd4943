import type { BillingMode } from './billing-mode.ts';

/** Credits a part of an issued invoice. */
export interface CreditNotesTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  invoice_id: string;
  reason: string;
  /** Null until the provider has responded. */
  provider_id: string | null;
  amount_cents: number;
  created_at: number;
}
