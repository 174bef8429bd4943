import { expect, it } from 'vitest';
import { parseAmount, readAmount } from './parse-amount.ts';

it('dollars become whole cents, and nothing else becomes a limit', () => {
  expect([25, '25', 19.99, 1.1, 0, 1_000_000].map(parseAmount)).toEqual([
    2500, 2500, 1999, 110, 0, 100_000_000,
  ]);
  expect(['', ' ', '-', -1, 1_000_000.01, Number.NaN].map(parseAmount)).toEqual(Array(6).fill(null));
});

it('a pasted amount is what its writer meant, in either language', () => {
  const pasted = {
    ...{ '12,50': 12.5, '12.50': 12.5, '15,5': 15.5, '100': 100, ' 20 \n': 20 },
    ...{ '1\u202f234,56\u00a0$': 1234.56, '$1,234.56': 1234.56, '1.234,56': 1234.56, '1,234': 1234 },
    ...{ '1 000 000,00 $': 1_000_000, CA$25: 25, '40 CAD': 40 },
  };
  for (const [text, dollars] of Object.entries(pasted)) expect(readAmount(text), text).toBe(dollars);
  for (const text of ['', 'twelve', '-5', '1e9', '.', `1${'0'.repeat(30)}`])
    expect(readAmount(text), text).toBeNull();
});
