import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { OPERATED_USAGE_DAYS } from './rules.ts';
import type { InstallationUsage } from './schema.ts';

/**
 * Returns the usage of all organizations' sites on each of the last days. Each day is read separately: there
 * may be tens of thousands of sites, and other work runs in between.
 * @throws operator_required
 */
export async function getInstallationUsage(context: RequestContext): Promise<InstallationUsage> {
  requireOperator(context, 'read');
  const { clock, db } = context.app;
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  const days: InstallationUsage['days'] = [];
  for (let ago = OPERATED_USAGE_DAYS - 1; ago >= 0; ago -= 1) {
    const day = today - ago * DAY_MS;
    const sums = await db
      .selectFrom('usage_days')
      .select(({ fn }) => [
        fn.sum<number | string | null>('requests').as('requests'),
        fn.sum<number | string | null>('bytes_sent').as('bytes_sent'),
        fn.sum<number | string | null>('status_5xx').as('errors'),
      ])
      .where('day', '=', day)
      .executeTakeFirst();
    days.push({
      day: new Date(day).toISOString().slice(0, 10),
      requests: Number(sums?.requests ?? 0),
      bytes_sent: Number(sums?.bytes_sent ?? 0),
      errors: Number(sums?.errors ?? 0),
    });
    await nextTurn();
  }
  return { days };
}
