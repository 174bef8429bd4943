import { LIMIT_CENTS_MAX } from '#server/services/billing/spending/limit-rules.ts';

/** Returns typed dollars as cents, or null for an invalid limit amount. */
export function parseAmount(dollars: number | string): number | null {
  if (typeof dollars === 'string' && dollars.trim() === '') return null;
  const cents = Math.round(Number(dollars) * 100);
  return Number.isSafeInteger(cents) && cents >= 0 && cents <= LIMIT_CENTS_MAX ? cents : null;
}
