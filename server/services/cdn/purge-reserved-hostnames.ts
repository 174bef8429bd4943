import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { RECORDS_KEPT_MS } from './rules.ts';

/**
 * Deletes the reservations that have been over for a while: anyone may claim the hostnames, and their old records have no
 * effect any more.
 */
export async function purgeReservedHostnames(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - RECORDS_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('resting_hostnames')
      .where('until', '<=', before)
      .where('hostname', 'in', (eb) =>
        eb.selectFrom('resting_hostnames').select('hostname').where('until', '<=', before).limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
