import type { BillingMode } from './billing-mode.ts';

/** What a provider told us: a hint to look at an object, taken once however often it comes. */
export interface WebhookEventsTable {
  mode: BillingMode;
  provider_event_id: string;
  type: string;
  object_type: string;
  object_id: string;
  /** By the provider's clock. */
  created_at: number;
  received_at: number;
  attempts: number;
  last_error: string | null;
  handled_at: number | null;
  /** Null once it was handled or given up. */
  next_attempt_at: number | null;
}
