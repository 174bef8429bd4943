import type { BillingMode } from './billing-mode.ts';

/** Records that people were told about a share of a limit in a month. */
export interface SpendingAlertsTable {
  organization_id: string;
  mode: BillingMode;
  limit_id: string;
  year: number;
  month: number;
  /** Percent. */
  share: number;
  created_at: number;
}
