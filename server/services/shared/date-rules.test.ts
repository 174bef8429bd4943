import { describe, expect, it } from 'vitest';
import { formatDate, formatDateRange } from './date-rules.ts';

describe('a date', () => {
  it('has an ordinal on the first of a month in French, and on no other day', () => {
    expect(formatDate('2026-11-01', 'fr-CA')).toBe('1er novembre 2026');
    expect(formatDate('2026-11-01', 'fr-CA', { dateStyle: 'medium' })).toBe('1er nov. 2026');
    expect(formatDate('2026-11-11', 'fr-CA')).toBe('11 novembre 2026');
    expect(formatDate('2026-11-01', 'en-CA')).toBe('November 1, 2026');
    expect(formatDateRange('2026-11-01', '2026-12-21', 'fr-CA')).toBe('1er nov. – 21 déc. 2026');
  });

  it('has no zero before an hour in French, as people write it', () => {
    const at = (time: string) => formatDate(`2026-11-11T${time}Z`, 'fr-CA', { timeStyle: 'short' });
    expect([at('07:05'), at('00:30'), at('17:00')]).toEqual(['7 h 05', '0 h 30', '17 h 00']);
  });

  it('is in UTC, wherever it is read', () => {
    expect(formatDate('2026-11-01T23:30:00Z', 'en-CA', { dateStyle: 'medium' })).toBe('Nov 1, 2026');
  });
});
