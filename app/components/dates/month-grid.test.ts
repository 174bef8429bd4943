import { describe, expect, it } from 'vitest';
import { addDays, addMonths, readDay, weeksOfMonth } from './month-grid.ts';

describe('a day that is typed', () => {
  it('is read as Canadians write it, with or without zeros', () => {
    expect(readDay('2026-11-25')).toBe('2026-11-25');
    expect(readDay(' 2026-1-5 ')).toBe('2026-01-05');
    expect(readDay('2028-02-29')).toBe('2028-02-29');
  });

  it.each([
    '',
    '2026-11',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '11/25/2026',
    '25-11-2026',
    '2026-11-31',
  ])('is none when there is no such day: %s', (text) => expect(readDay(text)).toBeNull());
});

describe('a calendar', () => {
  it('goes over the ends of months and years', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-01-15', -1)).toBe('2025-12-15');
    // The day on which clocks change is one day like every other.
    expect(addDays('2026-11-01', 1)).toBe('2026-11-02');
  });

  it('shows every day of a month once, in weeks from Sunday to Saturday', () => {
    const weeks = weeksOfMonth('2026-11-25');
    expect(weeks.every((week) => week.length === 7)).toBe(true);
    expect(weeks[0]).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2026-11-0${day}`));
    expect(weeks.flat().filter((day) => day !== null)).toHaveLength(30);
    expect(weeksOfMonth('2026-12-01')[0]?.slice(0, 3)).toEqual([null, null, '2026-12-01']);
  });
});
