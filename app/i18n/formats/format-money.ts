/** Spaces that differ between versions of the locale data: server and browser must agree. */
const UNUSUAL_SPACES = /[\u2009\u202f]/g;

/** Returns an amount in Canadian dollars for people: `$1,234.56`, `1 234,56 $`. */
export function formatMoney(cents: number, locale: string): string {
  return formatDollars(cents, locale, 2);
}

/** Returns a rate, to the thousandth of a cent: `$0.10`, `$0.023`. */
export function formatRate(cents: number, locale: string): string {
  return formatDollars(cents, locale, 5);
}

function formatDollars(cents: number, locale: string, maximumFractionDigits: number): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'CAD', maximumFractionDigits });
  return format.format(cents / 100).replace(UNUSUAL_SPACES, '\u00a0');
}
