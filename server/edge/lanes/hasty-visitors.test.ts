import { expect, test } from 'vitest';
import { HastyVisitors } from './hasty-visitors.ts';

/** Returns how many requests an address may cancel at one moment. */
function allowed(visitors: HastyVisitors, address: string): number {
  let count = 0;
  while (count < 10_000 && visitors.mayTakeBack(address)) count += 1;
  return count;
}

test('an address may cancel a bounded number of requests at once, and more after a while', () => {
  let now = 0;
  const visitors = new HastyVisitors(() => now);
  const atOnce = allowed(visitors, 'a');
  // A browser that leaves three full pages is no attack.
  expect(atOnce).toBeGreaterThanOrEqual(300);
  expect(atOnce).toBeLessThan(1_000);
  expect(allowed(visitors, 'a')).toBe(0);
  expect(allowed(visitors, 'b')).toBe(atOnce);
  now += 1_000;
  expect(allowed(visitors, 'a')).toBeGreaterThan(0);
});

test('visitors that a proxy does not identify are not treated as one', () => {
  expect(allowed(new HastyVisitors(() => 0), '')).toBe(10_000);
});
