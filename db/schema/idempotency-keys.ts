/**
 * A response kept for a repeated `Idempotency-Key`. `body` is null while the first request is still running,
 * and `status` until it has committed something.
 */
export interface IdempotencyKeysTable {
  principal: string;
  key: string;
  /** SHA-256 of method, path and body: a key reused with another request is rejected. */
  fingerprint: string;
  status: number | null;
  body: string | null;
  created_at: number;
}
