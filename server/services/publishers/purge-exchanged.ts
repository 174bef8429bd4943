import type { RequestContext } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';

/** Deploys in flight end before. */
const KEPT_MS = HOUR_MS;

/**
 * Deletes exchanged credentials that have expired, and the records of identity tokens that are no longer
 * accepted.
 */
export async function purgeExchanged({ app }: Pick<RequestContext, 'app'>): Promise<{ purged: number }> {
  const before = app.clock.now() - KEPT_MS;
  const { numDeletedRows } = await app.db
    .deleteFrom('credentials')
    .where('publisher_id', 'is not', null)
    .where('expires_at', '<', before)
    .executeTakeFirst();
  await app.db.deleteFrom('used_identity_tokens').where('expires_at', '<', before).execute();
  return { purged: Number(numDeletedRows) };
}
