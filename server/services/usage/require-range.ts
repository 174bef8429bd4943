import { type AppError, invalidField } from '#server/errors.ts';
import { daysIn, RANGE_DAYS_MAX, type RangeRequest, rangeOf, type UsageRange } from './rules.ts';

/**
 * Returns the requested days.
 * @throws invalid_input, naming a date as the invalid field, when there are more than `daysMax`
 */
export function requireRange(requested: RangeRequest, now: number, daysMax = RANGE_DAYS_MAX): UsageRange {
  const range = rangeOf(requested, now);
  if (daysIn(range) <= daysMax) return range;
  throw invalidRange(requested, `a range has at most ${daysMax} days here`);
}

/** Returns the `invalid_input` for a range, about the field that has determined it. */
export function invalidRange({ start_date }: RangeRequest, message: string): AppError {
  return invalidField(start_date === undefined ? 'period' : 'start_date', message);
}
