/** The behaviour of a test card: Stripe's own numbers, so that they work in its test mode too. */
export type CardBehaviour =
  | 'works'
  | 'declines'
  | 'declines_later'
  | 'authenticates'
  | 'disputes'
  | 'delays_refunds'
  | 'rejects_refunds';

const BEHAVIOURS: Record<string, CardBehaviour> = {
  '4242424242424242': 'works',
  '5555555555554444': 'works',
  '378282246310005': 'works',
  '4000000000000002': 'declines',
  '4000000000000341': 'declines_later',
  '4000002760003184': 'authenticates',
  '4000000000000259': 'disputes',
  '4000000000007726': 'delays_refunds',
  '4000000000005126': 'rejects_refunds',
};
const FINGERPRINT_PREFIX = 'sandbox_';

export interface TestCard {
  brand: 'visa' | 'mastercard' | 'amex';
  last4: string;
  behaviour: CardBehaviour;
}

/**
 * Returns a test card by its number, or null: other numbers are rejected, so that no real card ends up here.
 */
export function findTestCard(number: string): TestCard | null {
  const digits = number.replace(/[\s-]/g, '');
  const behaviour = Object.hasOwn(BEHAVIOURS, digits) ? BEHAVIOURS[digits] : undefined;
  if (behaviour === undefined) return null;
  const brand = digits.startsWith('4') ? 'visa' : digits.startsWith('5') ? 'mastercard' : 'amex';
  return { brand, last4: digits.slice(-4), behaviour };
}

/** A card stores its behaviour, and nothing else of its number, in its fingerprint. */
export function fingerprintOf(behaviour: CardBehaviour): string {
  return `${FINGERPRINT_PREFIX}${behaviour}`;
}

export function behaviourOf(fingerprint: string | null | undefined): CardBehaviour {
  const known = Object.values(BEHAVIOURS).find((behaviour) => fingerprint === fingerprintOf(behaviour));
  return known ?? 'declines';
}
