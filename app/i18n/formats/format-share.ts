const SMALLEST = 0.001;
/** What is more rounds to ten percent. */
const DECIMAL_MAX = 0.0995;

/**
 * Returns a part of a whole as a percentage with one decimal below ten: "34%", "4.0%", "0.4%"; "<0.1%" ("< 0,1 %" in
 * French) for what would round to nothing, and a plain zero for nothing.
 */
export function formatShare(part: number, whole: number, locale: string): string {
  const share = whole === 0 ? 0 : part / whole;
  const digits = share > 0 && share < DECIMAL_MAX ? 1 : 0;
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (share === 0 || share >= SMALLEST) return format.format(share);
  return `<${locale.startsWith('fr') ? '\u00a0' : ''}${format.format(SMALLEST)}`;
}
