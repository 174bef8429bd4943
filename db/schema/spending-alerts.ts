import type { BillingMode } from './billing-mode.ts';

/** That people were told of a share of a limit in a month. */
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
