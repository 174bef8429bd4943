import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMonths,
  compareMonths,
  formatMonth,
  isMonthClosed,
  lastClosedMonth,
  monthEnd,
  monthOf,
  monthStart,
  parseMonth,
} from './month-rules.ts';

const instants = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2100, 0, 1) });

describe('a billing month', () => {
  it('contains every instant exactly once', () => {
    fc.assert(
      fc.property(instants, (at) => {
        const month = monthOf(at);
        expect(at).toBeGreaterThanOrEqual(monthStart(month));
        expect(at).toBeLessThan(monthEnd(month));
        expect(monthStart(addMonths(month, 1))).toBe(monthEnd(month));
        expect(compareMonths(month, addMonths(month, 1))).toBeLessThan(0);
        expect(parseMonth(formatMonth(month))).toEqual(month);
      }),
    );
  });

  it('begins and ends at midnight in UTC, across years', () => {
    expect(monthOf(Date.UTC(2026, 2, 1) - 1)).toEqual({ year: 2026, month: 2 });
    expect(monthOf(Date.UTC(2026, 2, 1))).toEqual({ year: 2026, month: 3 });
    expect(addMonths({ year: 2026, month: 1 }, -1)).toEqual({ year: 2025, month: 12 });
  });

  it('is closed 24 hours after its end and not a moment earlier', () => {
    const february = { year: 2026, month: 2 };
    const closing = Date.UTC(2026, 2, 2);
    expect(isMonthClosed(february, closing - 1)).toBe(false);
    expect(isMonthClosed(february, closing)).toBe(true);
    expect(lastClosedMonth(closing - 1)).toEqual({ year: 2026, month: 1 });
    expect(lastClosedMonth(closing)).toEqual(february);
  });

  it('is only parsed from a year and a month', () => {
    for (const text of ['2026-13', '2026-00', '2026-1', '26-01', '2026-01-01', '']) {
      expect(parseMonth(text)).toBeNull();
    }
  });
});
