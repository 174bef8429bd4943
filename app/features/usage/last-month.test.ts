import { expect, it } from 'vitest';
import { lastMonthDays } from './last-month.ts';

it.each([
  ['2026-11-27T12:00:00Z', '2026-10-01', '2026-10-31'],
  ['2027-01-01T00:00:00Z', '2026-12-01', '2026-12-31'],
  ['2028-03-31T23:59:59Z', '2028-02-01', '2028-02-29'],
])('at %s, last month is from %s to %s, in UTC', (now, start_date, end_date) => {
  expect(lastMonthDays(Date.parse(now))).toEqual({ start_date, end_date });
});
