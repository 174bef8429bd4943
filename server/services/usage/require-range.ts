import { AppError } from '#server/errors.ts';
import { daysIn, RANGE_DAYS_MAX, type RangeWords, rangeOf, type UsageRange } from './rules.ts';

/** Returns the days that were asked for. @throws invalid_input when they are more than `daysMax` */
export function requireRange(words: RangeWords, now: number, daysMax = RANGE_DAYS_MAX): UsageRange {
  const range = rangeOf(words, now);
  if (daysIn(range) <= daysMax) return range;
  throw new AppError('invalid_input', { reason: `a range has at most ${daysMax} days here` });
}
