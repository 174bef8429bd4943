const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const inZone = { timeZone: 'UTC', ...options };
  const key = `${language} ${Object.entries(inZone).join(' ')}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, inZone);
  formats.set(key, format);
  return format;
}

/**
 * Returns a date in the format of a language, in UTC unless the options say otherwise. French uses an ordinal
 * for the first of a month ("1er novembre") and no zero before an hour ("7 h 05"), unlike the locale data of
 * browsers and Node.
 */
export function formatDate(
  at: Date | number | string,
  language: string,
  options: Intl.DateTimeFormatOptions = { dateStyle: 'long' },
): string {
  return join(formatOf(language, options).formatToParts(new Date(at)), language);
}

/** Returns two dates as one range, e.g. "1er – 21 nov. 2026". */
export function formatDateRange(
  start: Date | number | string,
  end: Date | number | string,
  language: string,
  options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' },
): string {
  return join(formatOf(language, options).formatRangeToParts(new Date(start), new Date(end)), language);
}

/** Spaces that differ between versions of the locale data: server and browser must agree. */
const UNUSUAL_SPACES = /[\u2009\u202f]/g;

function join(parts: readonly { type: string; value: string }[], language: string): string {
  const isFrench = language.startsWith('fr');
  const texts = parts.map(({ type, value }) => {
    if (isFrench && type === 'hour') return Number(value);
    return isFrench && type === 'day' && value === '1' ? '1er' : value;
  });
  return texts.join('').replace(UNUSUAL_SPACES, ' ');
}
