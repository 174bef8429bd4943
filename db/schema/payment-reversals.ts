import type { BillingMode } from './billing-mode.ts';

/** A refund or a dispute of a payment of an invoice, as the provider has it. */
export interface PaymentReversalsTable {
  organization_id: string;
  mode: BillingMode;
  provider_id: string;
  invoice_id: string;
  kind: 'refund' | 'dispute';
  status: 'pending' | 'succeeded' | 'failed' | 'inquiry' | 'open' | 'won' | 'lost' | 'closed';
  amount_cents: number;
  /** In the provider's words. */
  reason: string | null;
  /** When the operator gave money of a rejected refund back by other means. */
  repaid_at: number | null;
  /** On the provider's clock. */
  created_at: number;
  updated_at: number;
}
