import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import {
  cacheHitRate,
  daysIn,
  formatDay,
  growth,
  PERIODS,
  pointsOf,
  type RangeRequest,
  rangeBefore,
  rangeOf,
} from './rules.ts';

/** The first and the last day of a range requested at an instant. */
function daysOf(request: RangeRequest, now: string): [string, string] {
  const { start, end } = rangeOf(request, Date.parse(now));
  return [formatDay(start), formatDay(end - DAY_MS)];
}

/** The instants that it is compared with. */
function comparedWith(request: RangeRequest, now: string): [string, string] {
  const { start, end } = rangeBefore(request, rangeOf(request, Date.parse(now)), Date.parse(now));
  return [new Date(start).toISOString().slice(0, 16), new Date(end).toISOString().slice(0, 16)];
}

describe('the days of a range', () => {
  it('are those since the first for a month, which is also the default', () => {
    expect(daysOf({ period: 'month' }, '2026-11-21T12:00Z')).toEqual(['2026-11-01', '2026-11-21']);
    expect(daysOf({}, '2028-02-29T23:59:59.999Z')).toEqual(['2028-02-01', '2028-02-29']);
    expect(daysOf({}, '2026-03-01T00:00Z')).toEqual(['2026-03-01', '2026-03-01']);
    expect(daysOf({}, '2026-02-28T23:59:59.999Z')).toEqual(['2026-02-01', '2026-02-28']);
    expect(daysOf({}, '2026-12-31T12:00Z')).toEqual(['2026-12-01', '2026-12-31']);
  });

  it('are those since Monday for a week, even on a Sunday and across months', () => {
    expect(daysOf({ period: 'week' }, '2026-11-23T00:00Z')).toEqual(['2026-11-23', '2026-11-23']);
    expect(daysOf({ period: 'week' }, '2026-11-22T23:59Z')).toEqual(['2026-11-16', '2026-11-22']);
    expect(daysOf({ period: 'week' }, '2027-01-01T12:00Z')).toEqual(['2026-12-28', '2027-01-01']);
  });

  it('are today for a day', () => {
    expect(daysOf({ period: 'day' }, '2026-11-21T00:00Z')).toEqual(['2026-11-21', '2026-11-21']);
  });

  it('are the last 30 for one endpoint, today included, unless a period or dates are given', () => {
    const one = { cdn_endpoint_id: 'endpoint' };
    expect(daysOf(one, '2026-03-01T12:00Z')).toEqual(['2026-01-31', '2026-03-01']);
    expect(daysOf({ ...one, period: 'day' }, '2026-03-01T12:00Z')).toEqual(['2026-03-01', '2026-03-01']);
    expect(daysOf({ ...one, start_date: '2026-02-27' }, '2026-03-01T12:00Z')).toEqual([
      '2026-02-27',
      '2026-03-01',
    ]);
  });

  it('are the dates, inclusive, whatever the period; until today without an end', () => {
    const now = '2026-11-21T12:00Z';
    const dates = { start_date: '2026-02-01', end_date: '2026-02-28' };
    for (const period of PERIODS) {
      expect(daysOf({ ...dates, period }, now)).toEqual(['2026-02-01', '2026-02-28']);
    }
    expect(daysOf({ start_date: '2028-02-29', end_date: '2028-02-29' }, now)).toEqual([
      '2028-02-29',
      '2028-02-29',
    ]);
    expect(daysOf({ start_date: '2026-11-01' }, now)).toEqual(['2026-11-01', '2026-11-21']);
    expect(daysOf({ start_date: '2026-12-24' }, now)).toEqual(['2026-12-24', '2026-12-24']);
  });
});

describe('the comparison of a range', () => {
  it('is the same part of the month before, never longer than that month', () => {
    expect(comparedWith({}, '2026-11-21T12:00Z')).toEqual(['2026-10-01T00:00', '2026-10-21T12:00']);
    expect(comparedWith({}, '2026-01-10T06:00Z')).toEqual(['2025-12-01T00:00', '2025-12-10T06:00']);
    expect(comparedWith({}, '2026-03-31T12:00Z')).toEqual(['2026-02-01T00:00', '2026-03-01T00:00']);
    expect(comparedWith({}, '2028-03-30T12:00Z')).toEqual(['2028-02-01T00:00', '2028-03-01T00:00']);
    expect(comparedWith({}, '2026-03-01T00:00Z')).toEqual(['2026-02-01T00:00', '2026-02-01T00:00']);
  });

  it('is the same part of the week or the day before', () => {
    expect(comparedWith({ period: 'week' }, '2026-11-25T12:00Z')).toEqual([
      '2026-11-16T00:00',
      '2026-11-18T12:00',
    ]);
    expect(comparedWith({ period: 'day' }, '2026-11-01T12:00Z')).toEqual([
      '2026-10-31T00:00',
      '2026-10-31T12:00',
    ]);
  });

  it('is as many days before the dates, or before the 30 days of an endpoint, even when they begin on the first', () => {
    const dates = { start_date: '2026-03-01', end_date: '2026-03-10' };
    expect(comparedWith(dates, '2026-11-21T12:00Z')).toEqual(['2026-02-19T00:00', '2026-03-01T00:00']);
    expect(comparedWith({ cdn_endpoint_id: 'endpoint' }, '2026-10-31T12:00Z')).toEqual([
      '2026-09-02T00:00',
      '2026-10-01T12:00',
    ]);
  });

  it('ends with a whole day where hours are no longer kept, and is empty for a range that has not begun', () => {
    expect(comparedWith({ start_date: '2026-07-01' }, '2026-11-21T12:00Z')).toEqual([
      '2026-02-07T00:00',
      '2026-07-01T00:00',
    ]);
    expect(comparedWith({ start_date: '2026-12-01' }, '2026-11-21T12:00Z')).toEqual([
      '2026-11-30T00:00',
      '2026-11-30T00:00',
    ]);
  });

  it('never reaches into the range, and is never longer than it', () => {
    const requests = fc.record({
      period: fc.option(fc.constantFrom(...PERIODS), { nil: undefined }),
      cdn_endpoint_id: fc.option(fc.constant('endpoint'), { nil: undefined }),
    });
    const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
    fc.assert(
      fc.property(requests, instants, (asked, now) => {
        const range = rangeOf(asked, now);
        const compared = rangeBefore(asked, range, now);
        expect(range.start).toBeLessThanOrEqual(now);
        expect(range.end).toBeGreaterThan(now);
        expect(daysIn(range)).toBeLessThanOrEqual(31);
        expect(compared.start).toBeLessThan(range.start);
        expect(compared.end).toBeLessThanOrEqual(range.start);
        expect(compared.end - compared.start).toBeLessThanOrEqual(now - range.start);
      }),
    );
  });
});

describe('the points of a range', () => {
  const now = Date.parse('2026-11-21T12:00Z');
  const pointsFor = (request: RangeRequest) => pointsOf(rangeOf(request, now), now);

  it('are hours for two days at most, as long as hours are kept, and days otherwise', () => {
    expect(pointsFor({ period: 'day' })).toBe('hour');
    expect(pointsFor({ start_date: '2026-11-20' })).toBe('hour');
    expect(pointsFor({ start_date: '2026-11-19' })).toBe('day');
    expect(pointsFor({ start_date: '2026-08-24', end_date: '2026-08-24' })).toBe('hour');
    expect(pointsFor({ start_date: '2026-08-23', end_date: '2026-08-23' })).toBe('day');
  });
});

it('a share and a growth are whole percents, and null without anything to compare', () => {
  expect([cacheHitRate(2, 1), cacheHitRate(0, 5), cacheHitRate(0, 0)]).toEqual([67, 0, null]);
  expect([growth(150, 100), growth(50, 100), growth(5, 0)]).toEqual([50, -50, null]);
  expect(HOUR_MS * 24).toBe(DAY_MS);
});
