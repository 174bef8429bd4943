import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { dayOf } from '../../usage/rules.ts';

/** Bytes stored since an instant; negative ones have been removed since. */
export interface StoredSince {
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Returns the byte-hours of a day as they are counted: whole ones, so that every sum of days is exact. */
export function wholeByteHours(byteHours: number): number {
  return Math.max(0, Math.round(byteHours));
}

/**
 * Returns byte-hours by day (its start in UTC) of what was stored from its instant until another. It is a
 * sum, so neither the order of the changes matters nor how they are batched.
 */
export function byteHoursByDay(stored: readonly StoredSince[], until: number): Map<number, number> {
  const days = new Map<number, number>();
  for (const { bytes, since } of stored) {
    if (bytes === 0) continue;
    for (let from = since; from < until; from = dayOf(from) + DAY_MS) {
      const day = dayOf(from);
      const hours = (Math.min(until, day + DAY_MS) - from) / HOUR_MS;
      days.set(day, (days.get(day) ?? 0) + bytes * hours);
    }
  }
  return days;
}
