const STEP = 1024;
/** From here on an amount would be rounded to a whole step: 1,024.00 KB is a megabyte. */
const ROUNDED_UP = STEP - 0.005;
const UNITS: Record<'en' | 'fr', readonly string[]> = {
  en: ['B', 'KB', 'MB', 'GB', 'TB'],
  fr: ['o', 'Ko', 'Mo', 'Go', 'To'],
};

/** Returns an amount of bytes for people, base 1024 with two decimals; bytes have none. */
export function formatBytes(bytes: number, locale: string): string {
  const units = UNITS[locale.startsWith('fr') ? 'fr' : 'en'];
  let value = bytes;
  let unit = 0;
  while (value >= (unit === 0 ? STEP : ROUNDED_UP) && unit < units.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : 2;
  const number = new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
  return `${number}\u00a0${units[unit]}`;
}
