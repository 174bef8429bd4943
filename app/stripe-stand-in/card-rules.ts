import type { Problem } from './words.ts';

/** The content of a card's fields. */
export interface TypedCard {
  number: string;
  expiry: string;
  code: string;
}

export const CARD_FIELDS = ['number', 'expiry', 'code'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Returns a card number in groups of four digits. */
export function groupNumber(typed: string): string {
  return (
    digitsOf(typed)
      .slice(0, 19)
      .match(/.{1,4}/g) ?? []
  ).join(' ');
}

/** Returns an expiration date as `MM / YY`; `7` can only be July. */
export function groupExpiry(typed: string): string {
  const raw = digitsOf(typed);
  const digits = (/^[2-9]/.test(raw) ? `0${raw}` : raw).slice(0, 4);
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits;
}

/** Returns the month and the full year of `MM / YY`. */
export function readExpiry(expiry: string): { month: number; year: number } {
  const digits = digitsOf(expiry);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

/**
 * Returns the problem of each invalid field of a typed card; only the provider can tell whether the card
 * exists.
 */
export function findProblems(card: TypedCard, today: Date): Partial<Record<CardField, Problem>> {
  const number = digitsOf(card.number);
  const { month, year } = readExpiry(card.expiry);
  const problems: Partial<Record<CardField, Problem>> = {};
  if (number.length < 13) problems.number = 'incomplete_number';
  else if (!passesLuhn(number)) problems.number = 'invalid_number';
  if (digitsOf(card.expiry).length < 4) problems.expiry = 'incomplete_expiry';
  else if (month < 1 || month > 12) problems.expiry = 'invalid_expiry_month';
  else if (new Date(year, month, 1) <= today) problems.expiry = 'invalid_expiry_year';
  if (digitsOf(card.code).length < 3) problems.code = 'incomplete_cvc';
  return problems;
}

/** The check digit of card numbers (ISO/IEC 7812-1). */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = place % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
