import { expect, it } from 'vitest';
import { formatPoint, formatTick } from './chart-dates.ts';

it.each([
  ['2026-11-03', 'day', 'en-CA', 'Nov 3'],
  ['2026-11-03', 'day', 'fr-CA', '3 nov.'],
  ['2026-11-03T00:00:00.000Z', 'hour', 'en-CA', 'Nov 3'],
  ['2026-11-03T14:00:00.000Z', 'hour', 'en-CA', '14:00'],
  ['2026-11-03T14:00:00.000Z', 'hour', 'fr-CA', '14 h 00'],
] as const)('%s, a %s, stands on an axis in %s as %j', (date, granularity, locale, words) => {
  expect(formatTick(date, granularity, locale).replace(/\s/g, ' ')).toBe(words);
});

it.each([
  ['2026-11-03', 'day', 'en-CA', 'Tue, Nov 3, 2026'],
  ['2026-11-03', 'day', 'fr-CA', 'mar. 3 nov. 2026'],
  ['2026-11-03T23:00:00.000Z', 'hour', 'en-CA', 'Tue, Nov 3, 2026, 23:00'],
] as const)('%s, a %s, reads in %s in full as %j', (date, granularity, locale, words) => {
  expect(formatPoint(date, granularity, locale).replace(/\s/g, ' ')).toBe(words);
});
