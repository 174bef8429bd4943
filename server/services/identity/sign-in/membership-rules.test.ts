import { expect, it } from 'vitest';
import { isMembershipRefreshDue, RETRY_MS, STALE_MS } from './membership-rules.ts';

const NOW = 1_800_000_000_000;

it.each([
  ['never known', null, null, true],
  ['just known', NOW - 1, null, false],
  ['known for long', NOW - STALE_MS, null, true],
  ['known for long and just requested', NOW - STALE_MS, NOW - 1, false],
  ['known for long and requested a while ago', NOW - STALE_MS, NOW - RETRY_MS, true],
  ['known by a clock that was ahead', NOW + STALE_MS, NOW + STALE_MS, true],
])('memberships that are %s are asked for again: %s, %s, %s', (_, syncedAt, attemptedAt, isDue) => {
  expect(isMembershipRefreshDue({ syncedAt, attemptedAt }, NOW)).toBe(isDue);
});
