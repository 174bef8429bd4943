import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';

/** Forgets the hostnames whose rest is over: anybody may claim them, and their old records mean nothing any more. */
export async function purgeRestingHostnames(
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
