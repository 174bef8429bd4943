import { describe, expect, it } from 'vitest';
import { FORECAST_AFTER_MS, forecastQuantity, isForecastSound } from './forecast-rules.ts';

const START = Date.UTC(2026, 3, 1);
const END = Date.UTC(2026, 4, 1);
const DAY_MS = 86_400_000;

describe('the forecast of a month', () => {
  it('goes on as the month began', () => {
    expect(forecastQuantity(100n, START, START + 10 * DAY_MS, END)).toBe(300n);
    expect(forecastQuantity(0n, START, START + 10 * DAY_MS, END)).toBe(0n);
  });

  it('counts from the day on which billing began, where that is later', () => {
    const began = START + 20 * DAY_MS;
    expect(forecastQuantity(100n, began, began + 5 * DAY_MS, END)).toBe(200n);
  });

  it('stays as it is where nothing has passed yet, and where all has', () => {
    expect(forecastQuantity(7n, START, START, END)).toBe(7n);
    expect(forecastQuantity(7n, START + DAY_MS, START, END)).toBe(7n);
    expect(forecastQuantity(7n, START, END, END)).toBe(7n);
    expect(forecastQuantity(7n, START, END + DAY_MS, END)).toBe(7n);
  });

  it('loses nothing of what a number cannot hold', () => {
    const huge = 10n ** 19n + 1n;
    expect(forecastQuantity(huge, START, START + 15 * DAY_MS, END)).toBe(2n * huge);
  });

  it('says nothing in the first day', () => {
    expect(isForecastSound(START, START + FORECAST_AFTER_MS - 1)).toBe(false);
    expect(isForecastSound(START, START + FORECAST_AFTER_MS)).toBe(true);
  });
});
