import type { BillingMode } from './billing-mode.ts';

/** Records that an organization was asked to set up billing, and by when. */
export interface BillingNoticesTable {
  organization_id: string;
  mode: BillingMode;
  kind: 'set_up';
  created_at: number;
  due_at: number;
  /** When the message was written; null until then. */
  told_at: number | null;
}
