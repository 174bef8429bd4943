const STEP = 1024;
/** From here on an amount would be rounded to a whole step: 1,024.00 KB is a megabyte. */
const ROUNDED_UP = STEP - 0.005;
const UNITS: Record<'en' | 'fr', readonly string[]> = {
  en: ['B', 'KB', 'MB', 'GB', 'TB'],
  fr: ['o', 'Ko', 'Mo', 'Go', 'To'],
};

/**
 * Returns an amount of bytes in the unit of another, for amounts that are compared at a glance: 0.5 GB below 2 GB. It has the decimals
 * that it needs, two at most.
 */
export function formatBytesLike(like: number, bytes: number, locale: string): string {
  const units = unitsOf(locale);
  const unit = Math.min(Math.max(0, Math.floor(Math.log2(like) / Math.log2(STEP))), units.length - 1);
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(bytes / STEP ** unit);
  return `${number}\u00a0${units[unit]}`;
}

/** Returns an amount of bytes for people, base 1024 with two decimals; bytes have none. */
export function formatBytes(bytes: number, locale: string): string {
  const units = unitsOf(locale);
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

function unitsOf(locale: string): readonly string[] {
  return UNITS[locale.startsWith('fr') ? 'fr' : 'en'];
}
