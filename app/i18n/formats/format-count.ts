const MILLION = 1_000_000;
const THOUSAND = 1000;

/**
 * Returns a count short enough for a chart: from 1000 in thousands and from a million in millions, with at
 * most one decimal: 999, 1.2K, 3.4M; in French 1,2 k and 3,4 M.
 */
export function formatCount(count: number, locale: string): string {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  if (count < THOUSAND) return number.format(count);
  const isFrench = locale.startsWith('fr');
  const gap = isFrench ? '\u00a0' : '';
  const thousands = Math.round((count / THOUSAND) * 10) / 10;
  // 999,950 is a million, and not a thousand thousands.
  if (thousands < THOUSAND) return `${number.format(thousands)}${gap}${isFrench ? 'k' : 'K'}`;
  return `${number.format(count / MILLION)}${gap}M`;
}
