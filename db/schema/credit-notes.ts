import type { Generated } from 'kysely';
import type { BillingMode } from './billing-mode.ts';

/** Credits a part of an issued invoice. */
export interface CreditNotesTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  invoice_id: string;
  /** Where the money goes: `credit` lowers what is due or is kept for the next invoice, `refund` goes to the card that paid. */
  kind: Generated<'credit' | 'refund'>;
  reason: string;
  /** The reason for people who read French; null where it is the same. */
  reason_fr: string | null;
  /** Null until the provider has responded. */
  provider_id: string | null;
  /**
   * The provider's refunds that it made, separated by spaces: one for each payment that gives back a part of it. Null for a
   * credit, and until the provider has responded.
   */
  refund_id: string | null;
  amount_cents: number;
  /** Of a credit that the provider knows, not after the payment of its invoice if it lowered what was due, else after it. */
  created_at: number;
}
