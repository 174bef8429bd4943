import type { RequestContext } from '#server/context.ts';

/** Forgets the hostnames whose rest is over: anybody may claim them, and their old records mean nothing any more. */
export async function purgeRestingHostnames({ app }: RequestContext): Promise<{ purged: number }> {
  const { numDeletedRows } = await app.db
    .deleteFrom('resting_hostnames')
    .where('until', '<=', app.clock.now())
    .executeTakeFirstOrThrow();
  return { purged: Number(numDeletedRows) };
}
