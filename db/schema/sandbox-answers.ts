/** What the sandbox answered under an idempotency key, to answer it again. */
export interface SandboxAnswersTable {
  idempotency_key: string;
  /** Hash of what was asked: the same key may not ask for something else. */
  request: string;
  status: number;
  body: string;
  created_at: number;
}
