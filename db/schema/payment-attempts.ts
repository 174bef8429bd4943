import type { BillingMode } from './billing-mode.ts';

/**
 * One attempt to pay, written before the provider is called. Its id is the key by which a repeat is
 * recognized.
 */
export interface PaymentAttemptsTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  invoice_id: string;
  reason: 'month_end' | 'dunning' | 'new_default' | 'operator' | 'elsewhere';
  payment_method_id: string | null;
  started_at: number;
  /** Null while the result is unknown. */
  ended_at: number | null;
  outcome: 'paid' | 'declined' | 'authentication' | 'failed' | null;
  detail: string | null;
}
