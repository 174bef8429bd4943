import type { Trx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { IdempotencyClaim } from './claim-idempotency-key.ts';
import { STATUS_BEGUN } from './rules.ts';

/**
 * Notes, in the transaction of a request's change, that the request under this key has changed something: if its
 * process dies before the response is kept, a repeat must not do it again.
 * @throws conflict when another request has taken the claim over, so that only that one changes anything
 */
export async function markBegun(trx: Trx, claim: IdempotencyClaim): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('idempotency_keys')
    .set({ status: STATUS_BEGUN })
    .where('principal', '=', claim.principal)
    .where('key', '=', claim.key)
    .where('created_at', '=', claim.claimedAt)
    .where('body', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new AppError('conflict');
}
