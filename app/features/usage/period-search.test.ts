import { describe, expect, it } from 'vitest';
import { billingSearch, dayRangeProblem, rangeOfSearch, usageSearch } from './period-search.ts';

const organization_id = '01jzzzzzzzzzzzzzzzzzzzzzzz';
const rangeAt = (search: Record<string, unknown>) => rangeOfSearch(usageSearch(search), organization_id);

describe('the period of an address', () => {
  it('is this month when the address names none, or an unknown one', () => {
    for (const search of [{}, { period: 'month' }, { period: 'year' }, { period: 7 }]) {
      expect(rangeAt(search)).toEqual({ organization_id, period: 'month' });
    }
    expect(rangeAt({ period: 'week' })).toEqual({ organization_id, period: 'week' });
  });

  it('is two days when it names them, whatever else it says', () => {
    const days = { start_date: '2026-01-31', end_date: '2026-02-28' };
    expect(rangeAt({ period: 'day', ...days })).toEqual({ organization_id, ...days });
  });

  it('ignores days that do not exist, are incomplete, or are not a range', () => {
    for (const days of [
      { start_date: '2026-02-30', end_date: '2026-03-02' },
      { start_date: '2026-13-01', end_date: '2026-13-02' },
      { start_date: '2026-01-01' },
      { end_date: '2026-01-01' },
      { start_date: '2026-01-02', end_date: '2026-01-01' },
      { start_date: '2024-01-01', end_date: '2026-01-01' },
    ]) {
      expect(rangeAt(days)).toEqual({ organization_id, period: 'month' });
    }
  });

  it('may be of one site or endpoint, with a valid id', () => {
    const period = 'month';
    expect(rangeAt({ site_id: 'a-site' })).toStrictEqual({ organization_id, period, site_id: 'a-site' });
    const both = { site_id: 'a-site', cdn_endpoint_id: 'an-endpoint' };
    expect(rangeAt(both)).toStrictEqual({ organization_id, period, ...both });
    for (const site_id of ['', 'no id', 'x'.repeat(65), { $ne: 1 }]) {
      expect(rangeAt({ site_id })).toStrictEqual({ organization_id, period });
    }
  });

  it('ignores days on the billing page', () => {
    expect(billingSearch({ start_date: '2026-01-01', period: 'day' })).not.toHaveProperty('start_date');
  });
});

describe('two days', () => {
  it('make a range of at most 400, both included', () => {
    expect(dayRangeProblem('2025-01-01', '2026-02-04')).toBeNull();
    expect(dayRangeProblem('2025-01-01', '2026-02-05')).toBe('too_long');
    expect(dayRangeProblem('2026-02-05', '2026-02-05')).toBeNull();
  });

  it('are both required, and in order', () => {
    expect(dayRangeProblem('', '2026-02-05')).toBe('start_missing');
    expect(dayRangeProblem('2026-02-05', '')).toBe('end_missing');
    expect(dayRangeProblem('2026-02-05', '2026-02-04')).toBe('order');
  });
});
