import { isPostgres } from '#db/client.ts';
import { databaseNow } from '#db/database-now.ts';
import type { App } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { OFFSET_MAX_MS, type SeenClock, seeClock, seenClockSchema } from './clock-rules.ts';

const NAME = 'seen-clock';

/** What the clocks say, in epoch milliseconds. */
export interface Clocks {
  own: number;
  database: number;
}

/**
 * Reads the clock, stores it, and returns whether what deletes or bills by the time alone may run. It may not
 * for a day after the clock has gone days ahead: a machine that starts with a wrong clock would delete what people can
 * still restore, and bill months that have not begun. With PostgreSQL, it may not on a machine whose clock differs
 * from the database's by an hour.
 * @param clocks given by tests only
 */
export async function isClockTrusted(app: App, clocks?: Clocks): Promise<boolean> {
  // A test moves its clock in order to see what follows.
  if (app.config.testClockFile !== null) return true;
  const { own, database } = clocks ?? (await readClocks(app));
  if (Math.abs(own - database) > OFFSET_MAX_MS) return false;
  const before = await readSeen(app);
  const seen = seeClock(before, own);
  await app.db
    .insertInto('installation_values')
    .values({ name: NAME, value: JSON.stringify(seen), created_at: own })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(seen) }))
    .execute();
  if (seen.doubted_until !== null && seen.doubted_until !== before?.doubted_until) {
    app.logger.warn(
      { last_seen_at: toInstant(before?.seen_at ?? own), until: toInstant(seen.doubted_until) },
      'the clock has gone ahead by days: is it right? Until then, nothing is deleted or billed because of it',
    );
  }
  if (before && before.doubted_until !== null && own < before.seen_at && seen.doubted_until === null)
    app.logger.info('the clock, which had gone ahead by days, has been corrected');
  return seen.doubted_until === null;
}

async function readClocks({ clock, db }: App): Promise<Clocks> {
  const own = clock.now();
  // An embedded database has the clock of its one machine.
  if (!isPostgres(db)) return { own, database: own };
  const { at } = await db.selectNoFrom(databaseNow(db).as('at')).executeTakeFirstOrThrow();
  return { own, database: Number(at) };
}

async function readSeen({ db }: App): Promise<SeenClock | null> {
  const row = await db
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row === undefined ? null : seenClockSchema.parse(JSON.parse(row.value));
}
