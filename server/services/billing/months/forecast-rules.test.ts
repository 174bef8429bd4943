import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { FORECAST_AFTER_MS, forecastQuantity, isForecastSound } from './forecast-rules.ts';

const START = Date.UTC(2026, 3, 1);
const END = Date.UTC(2026, 4, 1);

describe('the forecast of a month', () => {
  it('continues at the month’s pace so far', () => {
    expect(forecastQuantity(100n, START, START + 10 * DAY_MS, END)).toBe(300n);
    expect(forecastQuantity(0n, START, START + 10 * DAY_MS, END)).toBe(0n);
  });

  it('counts from the day on which billing began, if later', () => {
    const began = START + 20 * DAY_MS;
    expect(forecastQuantity(100n, began, began + 5 * DAY_MS, END)).toBe(200n);
  });

  it('is the current value when no time has passed yet, and when all has', () => {
    expect(forecastQuantity(7n, START, START, END)).toBe(7n);
    expect(forecastQuantity(7n, START + DAY_MS, START, END)).toBe(7n);
    expect(forecastQuantity(7n, START, END, END)).toBe(7n);
    expect(forecastQuantity(7n, START, END + DAY_MS, END)).toBe(7n);
  });

  it('loses nothing beyond the precision of a number', () => {
    const huge = 10n ** 19n + 1n;
    expect(forecastQuantity(huge, START, START + 15 * DAY_MS, END)).toBe(2n * huge);
  });

  it('is absent on the first day', () => {
    expect(isForecastSound(START, START + FORECAST_AFTER_MS - 1)).toBe(false);
    expect(isForecastSound(START, START + FORECAST_AFTER_MS)).toBe(true);
  });
});
