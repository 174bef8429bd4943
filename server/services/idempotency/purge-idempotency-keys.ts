import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { RESPONSE_KEPT_MS } from './rules.ts';

/** Removes responses that are no longer kept. Returns how many. */
export async function purgeIdempotencyKeys(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - RESPONSE_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('idempotency_keys')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('principal', 'key'),
          'in',
          selectFrom('idempotency_keys as old')
            .select(['old.principal', 'old.key'])
            .where('old.created_at', '<=', before)
            .limit(limit)
            .$asTuple('principal', 'key'),
        ),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
