/** A message on its way. It is written with what it tells of, and sent by a job until it is accepted or given up. */
export interface OutgoingMailsTable {
  id: string;
  recipient: string;
  /** JSON of the subject and the texts, sealed: they hold links that let somebody in. */
  message_sealed: string;
  /** What it tells of, e.g. an invitation. */
  resource_type: string;
  resource_id: string;
  created_at: number;
  /** Null once it was sent or given up. */
  next_attempt_at: number | null;
  attempts: number;
  sent_at: number | null;
  failed_at: number | null;
  last_error: string | null;
}
