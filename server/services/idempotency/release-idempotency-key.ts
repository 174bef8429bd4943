import type { App } from '#server/context.ts';
import type { IdempotencyClaim } from './claim-idempotency-key.ts';

/** Releases the key after a request that failed: it changed nothing, so the same key may be used again. What took the claim over keeps it. */
export async function releaseIdempotencyKey(app: App, claim: IdempotencyClaim): Promise<void> {
  await app.db
    .deleteFrom('idempotency_keys')
    .where('principal', '=', claim.principal)
    .where('key', '=', claim.key)
    .where('created_at', '=', claim.claimedAt)
    .where('body', 'is', null)
    .execute();
}
