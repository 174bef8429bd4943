/** The month up to whose end a card is good. */
interface Expiry {
  exp_month: number;
  exp_year: number;
}

/** Returns the month as it stands on the card: `04/2027`. */
export function expiryOf({ exp_month, exp_year }: Expiry): string {
  return `${String(exp_month).padStart(2, '0')}/${exp_year}`;
}

/** Whether the month is over at an instant. */
export function isExpired({ exp_month, exp_year }: Expiry, now: number): boolean {
  return now >= Date.UTC(exp_year, exp_month, 1);
}
