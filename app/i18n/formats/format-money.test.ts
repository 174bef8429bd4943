import { expect, it } from 'vitest';
import { formatMoney } from './format-money.ts';

it('cents are written as dollars of Canada in either language', () => {
  expect([formatMoney(0, 'en-CA'), formatMoney(123_456, 'en-CA')]).toEqual(['$0.00', '$1,234.56']);
  expect(formatMoney(123_456, 'fr-CA')).toBe('1\u00a0234,56\u00a0$');
});
