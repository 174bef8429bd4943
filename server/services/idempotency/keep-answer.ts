import type { App } from '#server/context.ts';
import { associatedWith, type IdempotencyClaim, type KeptAnswer } from './claim-idempotency-key.ts';

/** Stores the answer of a claimed request, sealed, for repeats; not once another one has taken the claim over. */
export async function keepAnswer(app: App, claim: IdempotencyClaim, answer: KeptAnswer): Promise<void> {
  await app.db
    .updateTable('idempotency_keys')
    .set({ status: answer.status, body: app.sealer.seal(answer.body, associatedWith(claim)) })
    .where('principal', '=', claim.principal)
    .where('key', '=', claim.key)
    .where('created_at', '=', claim.claimedAt)
    .execute();
}
