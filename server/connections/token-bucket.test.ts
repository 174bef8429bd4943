import { expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

it('allows a burst, then so many a second, and a burst again after a pause', () => {
  const bucket = new TokenBucket(3, 2, 1_000);
  const takeUntilEmpty = (now: number) => {
    let taken = 0;
    while (bucket.take(now)) taken += 1;
    return taken;
  };
  expect(takeUntilEmpty(1_000)).toBe(3);
  expect(takeUntilEmpty(1_499)).toBe(0);
  expect(takeUntilEmpty(1_500)).toBe(1);
  expect(takeUntilEmpty(2_500)).toBe(2);
  expect(takeUntilEmpty(60_000)).toBe(3);
});

it('gives nothing away when the clock is set back', () => {
  const bucket = new TokenBucket(1, 1, 5_000);
  expect([bucket.take(5_000), bucket.take(1_000), bucket.take(1_500), bucket.take(2_000)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
