/** An organization's address that is notified of events. */
export interface WebhooksTable {
  id: string;
  organization_id: string;
  url: string;
  description: string;
  /** Names of events, as JSON. */
  events: string;
  secret_sealed: string;
  /** The secret before the last rotation, which also signs until `former_until`. */
  former_secret_sealed: string | null;
  former_until: number | null;
  created_by: string;
  created_at: number;
  updated_at: number;
  paused_at: number | null;
  pause_reason: 'person' | 'failing' | 'gone' | null;
  /** When the first of the failures happened since the last success. */
  failing_since: number | null;
  last_delivered_at: number | null;
  /** Events that were dropped because too many were waiting. */
  not_kept: number;
}

/** An event to deliver to one webhook, written in the transaction of what it reports. */
export interface WebhookMessagesTable {
  id: string;
  organization_id: string;
  webhook_id: string;
  event: string;
  /** The exact bytes that are sent. */
  body: string;
  created_at: number;
  /** Automatic attempts since the event, or since its redelivery was requested. */
  attempts: number;
  /** Null once it was delivered or abandoned. */
  next_attempt_at: number | null;
  delivered_at: number | null;
  failed_at: number | null;
}

/** One attempt to deliver a message. */
export interface WebhookAttemptsTable {
  id: string;
  organization_id: string;
  message_id: string;
  at: number;
  duration_ms: number;
  /** The HTTP status of the response; null without one. */
  status: number | null;
  /** Why it does not count as delivered; null when it does. */
  problem: string | null;
  /** The beginning of the response. */
  answer: string | null;
}
