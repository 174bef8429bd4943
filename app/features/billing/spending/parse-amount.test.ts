import { expect, it } from 'vitest';
import { parseAmount } from './parse-amount.ts';

it('dollars become whole cents, and nothing else becomes a limit', () => {
  expect([25, '25', 19.99, 1.1, 0, 1_000_000].map(parseAmount)).toEqual([
    2500, 2500, 1999, 110, 0, 100_000_000,
  ]);
  expect(['', ' ', '-', -1, 1_000_000.01, Number.NaN].map(parseAmount)).toEqual(Array(6).fill(null));
});
