import type { BillingMode } from './billing-mode.ts';

/** A refund that a credit note made: one for each payment that gives back a part of it. */
export interface CreditNoteRefundsTable {
  organization_id: string;
  mode: BillingMode;
  credit_note_id: string;
  /** Of the refund at the provider, which may not be among the reversals yet. */
  provider_id: string;
}
