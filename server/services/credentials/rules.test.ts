import { expect, it } from 'vitest';
import { expiresAfter, isUsable } from './rules.ts';

it('an expiration is the chosen number of days from now, never sends none', () => {
  expect(expiresAfter(30, Date.UTC(2026, 0, 1))).toBe('2026-01-31T00:00:00.000Z');
  expect(expiresAfter(null, 0)).toBeUndefined();
});

it('a credential is usable while it is active and not yet expired', () => {
  expect(isUsable({ is_active: 1, expires_at: null }, 5)).toBe(true);
  expect(isUsable({ is_active: 1, expires_at: 6 }, 5)).toBe(true);
  expect(isUsable({ is_active: 1, expires_at: 5 }, 5)).toBe(false);
  expect(isUsable({ is_active: 0, expires_at: null }, 5)).toBe(false);
});
