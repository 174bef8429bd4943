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
  /** 1 if it lowered what was due, 0 if the invoice was paid before; null until the provider has responded. */
  is_early: number | null;
  amount_cents: number;
  created_at: number;
}
