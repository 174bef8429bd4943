import type { Db } from '#db/client.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { CLAIM_TAKEN_OVER_MS, RESPONSE_KEPT_MS } from './rules.ts';

/** One use of an `Idempotency-Key`: whose it is, and which request it was sent with. */
export interface IdempotencyClaim {
  principal: string;
  key: string;
  /** Hash of the request's content. */
  fingerprint: string;
  /** When its request began, epoch milliseconds: what took the claim over later is another one. */
  claimedAt: number;
}

/** A stored response: its status and its text. */
export interface KeptResponse {
  status: number;
  body: string;
}

/**
 * Claims the key for a request that is about to run and returns null, or returns the earlier response to the
 * same request. Of two concurrent requests exactly one claims it. A claim whose process died before it changed
 * anything is taken over after a while.
 * @throws idempotency_key_reused for another request, idempotency_request_running while the first is still running,
 * idempotency_outcome_unknown when it died after it had changed something
 */
export async function claimIdempotencyKey(app: App, claim: IdempotencyClaim): Promise<KeptResponse | null> {
  const now = claim.claimedAt;
  if (await insertClaim(app.db, claim)) return null;
  const known = await app.db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('principal', '=', claim.principal)
    .where('key', '=', claim.key)
    .executeTakeFirst();
  if (known && now - known.created_at < RESPONSE_KEPT_MS) {
    if (known.fingerprint !== claim.fingerprint) throw new AppError('idempotency_key_reused');
    if (known.status !== null && known.body !== null) {
      return { status: known.status, body: app.sealer.open(known.body, associatedWith(claim)) };
    }
    if (now - known.created_at < CLAIM_TAKEN_OVER_MS) throw new AppError('idempotency_request_running');
    if (known.status !== null) throw new AppError('idempotency_outcome_unknown');
  }
  if (known) {
    await app.db
      .deleteFrom('idempotency_keys')
      .where('principal', '=', claim.principal)
      .where('key', '=', claim.key)
      .where('created_at', '=', known.created_at)
      .execute();
  }
  if (await insertClaim(app.db, claim)) return null;
  throw new AppError('idempotency_request_running');
}

/**
 * What a stored response is bound to: responses may contain a secret key, which no table stores in plain text.
 */
export function associatedWith(claim: IdempotencyClaim): string {
  return `idempotency ${claim.principal} ${claim.key}`;
}

async function insertClaim(db: Db, { claimedAt, ...claim }: IdempotencyClaim): Promise<boolean> {
  try {
    await db
      .insertInto('idempotency_keys')
      .values({ ...claim, status: null, body: null, created_at: claimedAt })
      .execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
