import { describe, expect, it } from 'vitest';
import { formatSpan } from './span-of-time.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('formatSpan', () => {
  it.each([
    [-60_000, '1 minute ago'],
    [-59.6 * 60_000, '1 hour ago'],
    [-23.6 * HOUR, '1 day ago'],
    [-29.6 * DAY, '1 month ago'],
    [-11.7 * 30 * DAY, '1 year ago'],
    [-3 * 365 * DAY, '3 years ago'],
    [7 * DAY - 1000, 'in 7 days'],
  ])('goes on to the next unit where the amount would be rounded up to it: %d ms', (difference, words) => {
    expect(formatSpan(difference, 'en-CA')).toBe(words);
  });

  // 40 hours before Friday evening is Thursday, and 30 hours before its first hours is Wednesday.
  it.each([
    [-30 * HOUR, 'en-CA', '1 day ago'],
    [-30 * HOUR, 'fr-CA', 'il y a 1 jour'],
    [-40 * HOUR, 'fr-CA', 'il y a 2 jours'],
    [40 * HOUR, 'fr-CA', 'dans 2 jours'],
    [-40 * DAY, 'en-CA', '1 month ago'],
  ])('names no day or month of the calendar: %d ms in %s', (difference, locale, words) => {
    expect(formatSpan(difference, locale).replace(/\s/g, ' ')).toBe(words);
  });
});
