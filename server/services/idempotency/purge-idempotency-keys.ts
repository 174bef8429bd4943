import type { RequestContext } from '#server/context.ts';
import { ANSWER_KEPT_MS } from './rules.ts';

/** Removes answers that are no longer kept. Returns how many. */
export async function purgeIdempotencyKeys(context: RequestContext): Promise<{ purged: number }> {
  const result = await context.app.db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', context.app.clock.now() - ANSWER_KEPT_MS)
    .executeTakeFirst();
  return { purged: Number(result.numDeletedRows) };
}
