/**
 * The minimum charge to a card in Canadian dollars, as at the provider; less is carried over to the next
 * invoice.
 */
export const CHARGE_MIN_CENTS = 50;
