import type { Executor } from '#db/client.ts';

/** Returns how many pieces of work are stuck, by job; for the figures of the installation. */
export async function countStuckWork(executor: Executor): Promise<{ job: string; count: number }[]> {
  const rows = await executor
    .selectFrom('stuck_work')
    .select('job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('job')
    .orderBy('job')
    .execute();
  return rows.map(({ job, count }) => ({ job, count: Number(count) }));
}
