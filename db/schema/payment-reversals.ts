import type { Generated } from 'kysely';
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
  /** When the operator recorded that the money of a rejected refund was given back. */
  repaid_at: number | null;
  /** The part of a rejected refund that other refunds of its invoice repeated: they count for it. */
  repeated_cents: Generated<number>;
  /** On the provider's clock. */
  created_at: number;
  updated_at: number;
}
