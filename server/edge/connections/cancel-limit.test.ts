import { expect, test } from 'vitest';
import { CancelLimit } from './cancel-limit.ts';

/** Returns how many requests an address may cancel at one moment. */
function allowed(limit: CancelLimit, address: string): number {
  let count = 0;
  while (count < 10_000 && limit.allows(address)) count += 1;
  return count;
}

test('an address may cancel a bounded number of requests at once, and more after a while', () => {
  let now = 0;
  const limit = new CancelLimit(() => now);
  const atOnce = allowed(limit, 'a');
  // A browser that leaves three full pages is no attack.
  expect(atOnce).toBeGreaterThanOrEqual(300);
  expect(atOnce).toBeLessThan(1_000);
  expect(allowed(limit, 'a')).toBe(0);
  expect(allowed(limit, 'b')).toBe(atOnce);
  now += 1_000;
  expect(allowed(limit, 'a')).toBeGreaterThan(0);
});

test('visitors that a proxy does not identify are not treated as one', () => {
  expect(allowed(new CancelLimit(() => 0), '')).toBe(10_000);
});
