import type { App } from '#server/context.ts';

/**
 * Starts everything at the same moment and returns how each ended. Connections are opened beforehand: one
 * that had to be opened first would be late, and nothing would race.
 */
export async function atOnce<T>(
  { db }: App,
  works: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  await Promise.all(works.map(() => db.selectFrom('leases').select('name').execute()));
  return Promise.allSettled(works.map((work) => work()));
}
