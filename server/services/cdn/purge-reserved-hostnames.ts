import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';

/**
 * Deletes the reservations that are over: anyone may claim the hostnames, and their old records have no
 * effect any more.
 */
export async function purgeReservedHostnames(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const now = app.clock.now();
  const remove = (limit: number) =>
    app.db
      .deleteFrom('resting_hostnames')
      .where('until', '<=', now)
      .where('hostname', 'in', (eb) =>
        eb.selectFrom('resting_hostnames').select('hostname').where('until', '<=', now).limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
