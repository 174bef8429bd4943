import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../durations.ts';

/**
 * An installation whose clock was last seen this long ago was either switched off, or its clock has gone ahead:
 * nothing tells which.
 */
export const UNSEEN_MAX_MS = 2 * DAY_MS;
/** How long such a clock is doubted, for whoever runs the machine to notice and correct it. */
export const DOUBTED_MS = DAY_MS;
/** Going back this far means that it was ahead before; time servers correct less all the time. */
const CORRECTED_MS = HOUR_MS;
/** A machine whose clock differs this much from the database's does nothing by the time. */
export const OFFSET_MAX_MS = HOUR_MS;

/** What is remembered of the clock. Instants are epoch milliseconds. */
export const seenClockSchema = z.object({
  seen_at: z.number(),
  /** Until when the clock is doubted; null when it is trusted. */
  doubted_until: z.number().nullable(),
});
export type SeenClock = z.infer<typeof seenClockSchema>;

/**
 * Returns what is to be remembered after the clock says `now`.
 * @param before what was remembered; null at the first start
 */
export function seeClock(before: SeenClock | null, now: number): SeenClock {
  if (before === null || now < before.seen_at - CORRECTED_MS) return { seen_at: now, doubted_until: null };
  // What nobody corrected while it was doubted is not doubted again at once: an installation that runs for some hours
  // a week would never be trusted.
  if (before.doubted_until === null && now - before.seen_at > UNSEEN_MAX_MS)
    return { seen_at: now, doubted_until: now + DOUBTED_MS };
  const isDoubted = before.doubted_until !== null && now < before.doubted_until;
  return { seen_at: now, doubted_until: isDoubted ? before.doubted_until : null };
}
