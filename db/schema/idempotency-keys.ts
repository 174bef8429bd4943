/** An answer kept for a repeated `Idempotency-Key`. `status` is null while the first request still runs. */
export interface IdempotencyKeysTable {
  principal: string;
  key: string;
  /** SHA-256 of method, path and body: a reused key with another request is refused. */
  fingerprint: string;
  status: number | null;
  body: string | null;
  created_at: number;
}
