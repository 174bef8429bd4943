import type { Executor } from '#db/client.ts';

/** Stuck work of one job. */
export interface StuckCount {
  job: string;
  count: number;
  /** When the first of it failed. */
  since: number;
}

/** Returns how many pieces of work are stuck and since when, by job; for the metrics of the installation. */
export async function countStuckWork(executor: Executor): Promise<StuckCount[]> {
  const rows = await executor
    .selectFrom('stuck_work')
    .select('job')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('first_failed_at').as('since')])
    .groupBy('job')
    .orderBy('job')
    .execute();
  return rows.map(({ job, count, since }) => ({ job, count: Number(count), since: Number(since) }));
}
