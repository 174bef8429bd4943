import type { BillingMode } from './billing-mode.ts';

/** The most that may be spent in a month on an organization, a site or an endpoint. */
export interface SpendingLimitsTable {
  id: string;
  organization_id: string;
  mode: BillingMode;
  scope: 'organization' | 'site' | 'endpoint';
  /** For the organization itself, its own id. */
  resource_id: string;
  amount_cents: number;
  action: 'notify' | 'stop';
  /** The month in which it was last set, and what had been spent in it by then: that amount stays billed. */
  set_year: number;
  set_month: number;
  spent_cents: number;
  created_at: number;
  updated_at: number;
}
