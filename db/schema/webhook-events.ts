import type { BillingMode } from './billing-mode.ts';

/** An event sent by a provider: a hint to fetch an object, processed once however often it arrives. */
export interface WebhookEventsTable {
  mode: BillingMode;
  provider_event_id: string;
  type: string;
  object_type: string;
  object_id: string;
  /** On the provider's clock. */
  created_at: number;
  received_at: number;
  attempts: number;
  last_error: string | null;
  handled_at: number | null;
  /** Null once it was handled or abandoned. */
  next_attempt_at: number | null;
}
