import { LIMIT_CENTS_MAX } from '#server/services/billing/spending/limit-rules.ts';
import { withoutUnseen } from '#server/services/shared/text-rules.ts';

/** Returns typed dollars as cents, or null for an invalid limit amount. */
export function parseAmount(dollars: number | string): number | null {
  if (typeof dollars === 'string' && dollars.trim() === '') return null;
  const cents = Math.round(Number(dollars) * 100);
  return Number.isSafeInteger(cents) && cents >= 0 && cents <= LIMIT_CENTS_MAX ? cents : null;
}

/**
 * Returns the dollars of a text that was pasted, written as in either language: `1 234,50 $`, `$1,234.50`, `1.234,50`. A lone
 * separator before three digits separates thousands. Null when it is not an amount.
 */
export function readAmount(text: string): number | null {
  const figures = withoutUnseen(text).replace(/[\s$]|CAD?/gi, '');
  if (!/^\d[\d.,]{0,20}$/.test(figures)) return null;
  const [, whole = figures, cents = ''] = /^(.*)[.,](\d{1,2})$/.exec(figures) ?? [];
  return Number(`${whole.replace(/[.,]/g, '')}.${cents}`);
}
