import type { App } from '#server/context.ts';
import { isOutage } from '#server/outage.ts';
import { describeFailure, isAnotherDay, isPaused, pauseAfter, STUCK_FORGOTTEN_AFTER_MS } from './rules.ts';

/** What a job could not do, for one of its runs. */
export interface StuckWork {
  /** Whether it failed recently and is left alone for now. */
  isWaiting(item: string): boolean;
  /**
   * Records a failure, and returns when it is retried. Logs it when it is new, has another reason, and once a
   * day: as an error, or as a warning when a dependency is down.
   */
  fail(item: string, error: unknown): Promise<number>;
  /** Deletes its record of failure. Costs nothing for what never failed. */
  succeed(item: string): Promise<void>;
}

/** Opens the record of a job's failed items. Items that have not failed again for days are forgotten. */
export async function openStuckWork(app: App, job: string): Promise<StuckWork> {
  const { db, clock, logger } = app;
  const rows = await db
    .selectFrom('stuck_work')
    .select(['item', 'failed_at', 'next_attempt_at'])
    .where('job', '=', job)
    .execute();
  const forgottenBefore = clock.now() - STUCK_FORGOTTEN_AFTER_MS;
  if (rows.some(({ failed_at }) => failed_at <= forgottenBefore)) {
    await db
      .deleteFrom('stuck_work')
      .where('job', '=', job)
      .where('failed_at', '<=', forgottenBefore)
      .execute();
  }
  const waitsUntil = new Map(rows.map(({ item, next_attempt_at }) => [item, next_attempt_at]));
  return {
    isWaiting: (item) => isPaused(waitsUntil.get(item) ?? 0, clock.now()),
    async fail(item, error) {
      const { attempts, next_attempt_at, isNews } = await recordFailure(app, job, item, error);
      waitsUntil.set(item, next_attempt_at);
      const facts = { err: error, job, item, attempts, next_attempt_at };
      const level = isOutage(error) ? 'warn' : 'error';
      if (isNews) logger[level](facts, 'a piece of work failed and will be retried');
      return next_attempt_at;
    },
    async succeed(item) {
      if (!waitsUntil.delete(item)) return;
      await db.deleteFrom('stuck_work').where('job', '=', job).where('item', '=', item).execute();
      logger.info({ job, item }, 'a piece of work that was stuck is done');
    },
  };
}

async function recordFailure(
  { db, clock }: App,
  job: string,
  item: string,
  error: unknown,
): Promise<{ attempts: number; next_attempt_at: number; isNews: boolean }> {
  const now = clock.now();
  const known = await db
    .selectFrom('stuck_work')
    .select(['attempts', 'error', 'first_failed_at', 'failed_at'])
    .where('job', '=', job)
    .where('item', '=', item)
    .executeTakeFirst();
  const attempts = (known?.attempts ?? 0) + 1;
  const facts = {
    attempts,
    error: describeFailure(error),
    failed_at: now,
    next_attempt_at: now + pauseAfter(attempts),
  };
  await db
    .insertInto('stuck_work')
    .values({ job, item, first_failed_at: now, ...facts })
    .onConflict((conflict) => conflict.columns(['job', 'item']).doUpdateSet(facts))
    .execute();
  const isNews = known === undefined || known.error !== facts.error || isAnotherDay(known, now);
  return { ...facts, isNews };
}
