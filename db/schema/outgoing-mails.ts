/**
 * A message to send. It is written in the same transaction as what it reports, and sent by a job until it is
 * accepted or abandoned.
 */
export interface OutgoingMailsTable {
  id: string;
  recipient: string;
  /** JSON of the subject and the texts, sealed: they contain links that grant access. */
  message_sealed: string;
  /** What it reports, e.g. an invitation. */
  resource_type: string;
  resource_id: string;
  created_at: number;
  /** Null once it was sent or abandoned. */
  next_attempt_at: number | null;
  attempts: number;
  sent_at: number | null;
  failed_at: number | null;
  last_error: string | null;
}
