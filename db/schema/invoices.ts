import type { BillingMode } from './billing-mode.ts';

/** The invoice of an organization for a month; there is never a second one. */
export interface InvoicesTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  billing_year: number;
  billing_month: number;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  tax_reason: string;
  /** JSON of where the buyer was when the month closed; null when that is where the address of the invoice is. */
  tax_place: string | null;
  /** JSON of the contact it is made out to; null until there is one. */
  buyer: string | null;
  /** JSON of the seller, with its tax registrations. */
  seller: string | null;
  /** Why it is not sent; null when nothing prevents it. */
  hold_reason: string | null;
  provider_id: string | null;
  /** As printed; assigned by the provider. */
  number: string | null;
  subtotal_cents: number;
  total_cents: number;
  /**
   * The customer's balance when it was finalized: above zero what earlier invoices left over, below zero a credit. Null for a draft,
   * and where it is unknown.
   */
  starting_balance_cents: number | null;
  /** The total including what was carried over from months that were too small to charge. */
  amount_due_cents: number;
  amount_paid_cents: number;
  credited_cents: number;
  attempts: number;
  next_attempt_at: number | null;
  /** Why the last attempt to charge it failed. */
  dunning_reason: string | null;
  created_at: number;
  updated_at: number;
  finalized_at: number | null;
  paid_at: number | null;
  voided_at: number | null;
}
