import { expect, it } from 'vitest';
import { brandName } from './brand-name.ts';
import { expiryOf, isExpired } from './card-expiry.ts';

it('a card is valid to the end of the month printed on it', () => {
  const card = { exp_month: 12, exp_year: 2026 };
  expect(expiryOf({ ...card, exp_month: 4 })).toBe('04/2026');
  expect(isExpired(card, Date.UTC(2026, 11, 31, 23, 59))).toBe(false);
  expect(isExpired(card, Date.UTC(2027, 0, 1))).toBe(true);
});

it('a brand is spelled as people know it, even when it is new', () => {
  expect(['visa', 'amex', 'newcard'].map(brandName)).toEqual(['Visa', 'American Express', 'Newcard']);
});
