/** The last month in which a card is valid. */
interface Expiry {
  exp_month: number;
  exp_year: number;
}

/** Returns the month as printed on the card: `04/2027`. */
export function expiryOf({ exp_month, exp_year }: Expiry): string {
  return `${String(exp_month).padStart(2, '0')}/${exp_year}`;
}

/** Whether the month is over at a given time. */
export function isExpired({ exp_month, exp_year }: Expiry, now: number): boolean {
  return now >= Date.UTC(exp_year, exp_month, 1);
}
