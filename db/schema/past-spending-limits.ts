import type { BillingMode } from './billing-mode.ts';

/** A limit as it applied in a month that was over when it was changed or removed. */
export interface PastSpendingLimitsTable {
  organization_id: string;
  mode: BillingMode;
  scope: 'organization' | 'site' | 'endpoint';
  resource_id: string;
  year: number;
  month: number;
  /** The most that month is billed. */
  cap_cents: number;
  action: 'notify' | 'stop';
}
