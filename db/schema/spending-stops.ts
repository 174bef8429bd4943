import type { BillingMode } from './billing-mode.ts';

/** What is not served for the rest of a month because its limit was reached. */
export interface SpendingStopsTable {
  organization_id: string;
  mode: BillingMode;
  scope: 'organization' | 'site' | 'endpoint';
  resource_id: string;
  year: number;
  month: number;
  created_at: number;
}
