import type { App } from '#server/context.ts';
import { associatedWith, type IdempotencyClaim, type KeptResponse } from './claim-idempotency-key.ts';

/** Stores the response of a claimed request, sealed, for repeats; not once another one has taken the claim over. */
export async function keepResponse(app: App, claim: IdempotencyClaim, response: KeptResponse): Promise<void> {
  await app.db
    .updateTable('idempotency_keys')
    .set({ status: response.status, body: app.sealer.seal(response.body, associatedWith(claim)) })
    .where('principal', '=', claim.principal)
    .where('key', '=', claim.key)
    .where('created_at', '=', claim.claimedAt)
    .execute();
}
