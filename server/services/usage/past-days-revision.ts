import type { Executor, Trx } from '#db/client.ts';
import { newId } from '#server/ids.ts';

const NAME = 'past_days_revision';

/** Notes in a transaction that days that are over change: sums of them that are kept elsewhere are outdated. */
export async function revisePastDays(trx: Trx, now: number): Promise<void> {
  const value = newId(now);
  await trx
    .insertInto('installation_values')
    .values({ name: NAME, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/**
 * Returns a revision that changes with every change of days that are over. Whoever reads it before such days
 * can tell later whether they are still the same.
 */
export async function findPastDaysRevision(executor: Executor): Promise<string> {
  const row = await executor
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row?.value ?? '';
}
