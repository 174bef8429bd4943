/** The sandbox's response under an idempotency key, to return it again. */
export interface SandboxAnswersTable {
  idempotency_key: string;
  /** Hash of the request: the same key may not be used for a different one. */
  request: string;
  status: number;
  body: string;
  created_at: number;
}
