import type { Executor } from '#db/client.ts';
import { LOST_FILES_JOB } from '../rules.ts';

const ROWS_AT_ONCE = 200;

/** Starts a read of the hashes of content that is known to be lost or damaged. */
export function selectLostFiles(executor: Executor) {
  return executor
    .selectFrom('stuck_work')
    .select('stuck_work.item')
    .where('stuck_work.job', '=', LOST_FILES_JOB);
}

/** Records content that a restored installation does not have, so that the next deploy of it is asked for it. */
export async function noteLostFiles(
  executor: Executor,
  hashes: readonly string[],
  now: number,
): Promise<void> {
  for (let start = 0; start < hashes.length; start += ROWS_AT_ONCE) {
    const rows = hashes.slice(start, start + ROWS_AT_ONCE).map((item) => ({
      job: LOST_FILES_JOB,
      item,
      attempts: 1,
      error: 'Error: the restored backup does not contain it',
      first_failed_at: now,
      failed_at: now,
      next_attempt_at: now,
    }));
    await executor
      .insertInto('stuck_work')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['job', 'item']).doNothing())
      .execute();
  }
}

/** Forgets that content was lost: it has been stored again. */
export async function forgetLostFiles(executor: Executor, hashes: readonly string[]): Promise<void> {
  await executor
    .deleteFrom('stuck_work')
    .where('job', '=', LOST_FILES_JOB)
    .where('item', 'in', hashes)
    .execute();
}
