import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { nextAttemptAt } from './dunning-rules.ts';

const ISSUED = Date.UTC(2026, 2, 2);
const nextAfter = (days: number) => {
  const next = nextAttemptAt(ISSUED, ISSUED + days * DAY_MS);
  return next === null ? null : (next - ISSUED) / DAY_MS;
};

describe('an invoice that could not be charged', () => {
  it('is attempted on days 0, 3, 5, 7 and 14, then left to people', () => {
    expect([-1, 0, 2.9, 3, 5, 7, 13, 14, 90].map(nextAfter)).toEqual([0, 3, 3, 5, 7, 14, 14, null, null]);
  });
});
