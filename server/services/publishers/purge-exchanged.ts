import type { RequestContext } from '#server/context.ts';

/** Deploys in flight end before. */
const KEPT_MS = 3_600_000;

/** Deletes what was exchanged and has expired, and forgets identity tokens that nobody takes any more. */
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
