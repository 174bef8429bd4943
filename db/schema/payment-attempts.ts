import type { BillingMode } from './billing-mode.ts';

/** One try to be paid, written before the provider is asked. Its id is the key by which a repeat is recognised. */
export interface PaymentAttemptsTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  invoice_id: string;
  reason: 'month_end' | 'dunning' | 'new_default' | 'operator' | 'elsewhere';
  payment_method_id: string | null;
  started_at: number;
  /** Null while nobody knows how it went. */
  ended_at: number | null;
  outcome: 'paid' | 'declined' | 'authentication' | 'failed' | null;
  detail: string | null;
}
