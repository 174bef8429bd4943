import { describe, expect, it } from 'vitest';
import { HOUR_MS, SECOND_MS } from '#server/durations.ts';
import { ATTEMPTS_MAX, retryPauseMs } from './rules.ts';

describe('the pause before a retry', () => {
  it('is never shorter than documented and up to a tenth longer, so that what failed together is spread', () => {
    expect([0, 0.5, 1].map((chance) => retryPauseMs(1, chance))).toEqual([5_000, 5_250, 5_500]);
    expect(retryPauseMs(ATTEMPTS_MAX - 1, 0)).toBe(12 * HOUR_MS);
    expect(retryPauseMs(ATTEMPTS_MAX - 1, 1)).toBe(12 * HOUR_MS + 72 * 60 * SECOND_MS);
    expect(retryPauseMs(ATTEMPTS_MAX, 0)).toBeNull();
  });
});
