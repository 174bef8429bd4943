/** How much of a month must have passed before a forecast is meaningful. */
export const FORECAST_AFTER_MS = 86_400_000;

/** Whether enough of a month has passed since its start for a forecast. */
export function isForecastSound(start: number, now: number): boolean {
  return now - start >= FORECAST_AFTER_MS;
}

/**
 * Returns a quantity at the end of a period if it continues at this pace, rounded down. `start` is when
 * counting began; before that, nothing is known and the quantity stays as it is.
 */
export function forecastQuantity(soFar: bigint, start: number, now: number, end: number): bigint {
  if (now <= start || now >= end) return soFar;
  return (soFar * BigInt(end - start)) / BigInt(now - start);
}
