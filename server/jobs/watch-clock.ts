import { databaseNow } from '#db/database-now.ts';
import type { App } from '../context.ts';
import { type Repetition, repeat } from './repeat.ts';

/** Stored times are judged by other machines: clocks may differ by this much without noticeable effects. */
export const CLOCK_OFFSET_MAX_MS = 5_000;
const CHECK_EVERY_MS = 10 * 60_000;
const FIRST_AFTER_MS = 1_000;

/**
 * Returns how far this machine's clock is ahead of the database's, in milliseconds; negative when it is
 * behind.
 */
export async function findClockOffset({ db, clock }: App): Promise<number> {
  const before = clock.now();
  const { at } = await db.selectNoFrom(databaseNow(db).as('at')).executeTakeFirstOrThrow();
  return Math.round((before + clock.now()) / 2 - Number(at));
}

/** Warns in the log while this machine's clock and the database's differ by seconds. */
export function watchClock(app: App, everyMs = CHECK_EVERY_MS): Repetition {
  const check = async () => {
    const offset_ms = await findClockOffset(app);
    if (Math.abs(offset_ms) <= CLOCK_OFFSET_MAX_MS) return;
    app.logger.warn({ offset_ms }, 'the clock of this machine differs from that of the database');
  };
  const fail = (error: unknown) =>
    app.logger.warn({ err: error }, 'the clock of the database cannot be read');
  return repeat(everyMs, check, fail, Math.min(everyMs, FIRST_AFTER_MS));
}
