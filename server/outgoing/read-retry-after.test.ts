import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { readRetryAfter } from './read-retry-after.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['90', NOW + 90_000],
  ['Sun, 01 Mar 2026 13:00:00 GMT', NOW + HOUR_MS],
  ['Sun, 01 Mar 2020 13:00:00 GMT', NOW],
  ['99999999999999999999', NOW + 7 * DAY_MS],
  ['Fri, 01 Mar 9999 13:00:00 GMT', NOW + 7 * DAY_MS],
  ['soon', null],
  [undefined, null],
])('Retry-After %s is seconds or a date, never before now nor beyond the limit', (header, at) => {
  expect(readRetryAfter(header, NOW, 7 * DAY_MS)).toBe(at);
});
