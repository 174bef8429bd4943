/**
 * Returns how long to wait in the unit that people would use: seconds up to a minute and a half, otherwise
 * whole minutes.
 */
export function formatWait(seconds: number, locale: string): string {
  const isLong = seconds > 90;
  const unit = isLong ? 'minute' : 'second';
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
    isLong ? Math.ceil(seconds / 60) : seconds,
  );
}
