import { describe, expect, it } from 'vitest';
import { formatDayRange } from './format-day-range.ts';

describe('formatDayRange', () => {
  it('names what the days have in common once', () => {
    expect(formatDayRange('2026-11-01', '2026-11-21', 'en-CA')).toBe('Nov 1 – 21, 2026');
    expect(formatDayRange('2026-10-23', '2026-11-21', 'en-CA')).toBe('Oct 23 – Nov 21, 2026');
    expect(formatDayRange('2025-12-01', '2026-01-03', 'en-CA')).toBe('Dec 1, 2025 – Jan 3, 2026');
  });

  it('writes a single day as one', () => {
    expect(formatDayRange('2026-11-21', '2026-11-21', 'en-CA')).toBe('Nov 21, 2026');
  });

  it('follows French conventions', () => {
    expect(formatDayRange('2026-11-01', '2026-11-21', 'fr-CA')).toBe('1er – 21 nov. 2026');
    expect(formatDayRange('2025-12-01', '2026-01-03', 'fr-CA')).toBe('1er déc. 2025 – 3 janv. 2026');
  });
});
