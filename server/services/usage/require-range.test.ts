import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { requireRange } from './require-range.ts';
import { formatDay } from './rules.ts';
import { usagePathsInput, usageRangeInput, usageStatsInput } from './schema.ts';

const NOW = Date.parse('2026-11-21T12:00Z');

/** The problem with a range, as reported to a caller. */
function problemOf(input: unknown, daysMax?: number): unknown {
  try {
    requireRange(usageStatsInput.parse(input), NOW, daysMax);
  } catch (error) {
    const { code, fields } = toAppError(error);
    return [code, fields];
  }
  return null;
}
const blames = (path: string, message: string) => ['invalid_input', [{ path, message }]];

describe('a range', () => {
  it('accepts a date, or an instant for its day in UTC', () => {
    expect(usageRangeInput.parse({ start_date: '2028-02-29' }).start_date).toBe('2028-02-29');
    const instants = { start_date: '2026-11-20T23:30:00-05:00', end_date: '2026-11-22T00:30:00+01:00' };
    expect(usageRangeInput.parse(instants)).toEqual({ start_date: '2026-11-21', end_date: '2026-11-21' });
  });

  it('names the field with an invalid date', () => {
    const wrong = ['', 'today', '2026-02-29', '2026-13-01', '20261121', ' 2026-11-21', '2026-11-21T', '١٢'];
    for (const start_date of wrong) {
      expect(problemOf({ start_date }), start_date).toEqual(
        blames('start_date', 'must be a date such as 2026-11-21'),
      );
    }
    for (const end_date of [7, null, {}, ['2026-11-21'], true]) {
      expect(problemOf({ start_date: '2026-11-20', end_date })).toEqual(
        blames('end_date', 'must be a date such as 2026-11-21'),
      );
    }
  });

  it('stays within the years that a date can express', () => {
    const message = 'must be from 1970-01-01 to 9999-12-31';
    expect(problemOf({ start_date: '0001-01-01' })).toEqual(blames('start_date', message));
    expect(problemOf({ start_date: '9999-12-31T23:59:59-14:00' })).toEqual(blames('start_date', message));
    expect(problemOf({ start_date: '0000-01-01T00:00:00+14:00' })).toEqual(blames('start_date', message));
    expect(problemOf({ start_date: '9999-12-31', end_date: '9999-12-31' })).toBeNull();
    expect(problemOf({ start_date: '1970-01-01', end_date: '1970-01-01' })).toBeNull();
  });

  it('names the parameters that contradict each other', () => {
    expect(problemOf({ start_date: '2026-11-21', end_date: '2026-11-20' })).toEqual(
      blames('end_date', 'must not be before start_date'),
    );
    expect(problemOf({ end_date: '2026-11-20' })).toEqual(blames('start_date', 'is needed with end_date'));
    expect(problemOf({ period: 'custom' })).toEqual(blames('start_date', 'is needed with the period custom'));
  });

  it('has at most 400 days, or as many as are allowed by the hour', () => {
    expect(problemOf({ start_date: '2025-10-18' })).toBeNull();
    expect(problemOf({ start_date: '2025-10-17' })).toEqual(
      blames('start_date', 'a range has at most 400 days here'),
    );
    expect(problemOf({ start_date: '1970-01-01', end_date: '9999-12-31' })).toEqual(
      blames('start_date', 'a range has at most 400 days here'),
    );
    expect(problemOf({ period: 'month' }, 7)).toEqual(blames('period', 'a range has at most 7 days here'));
  });

  it('names an unknown period, granularity, id or limit', () => {
    const pathOf = (input: unknown, schema: typeof usageStatsInput | typeof usagePathsInput) =>
      schema.safeParse(input).error?.issues.map(({ path }) => path.join('.'));
    for (const period of ['', 'year', 'MONTH', 1, null]) {
      expect(pathOf({ period }, usageStatsInput)).toEqual(['period']);
    }
    expect(pathOf({ granularity: 'minute' }, usageStatsInput)).toEqual(['granularity']);
    for (const id of ['', 'a b', "'; drop table sites", 'x'.repeat(65), '\0']) {
      expect(pathOf({ cdn_endpoint_id: id }, usageStatsInput)).toEqual(['cdn_endpoint_id']);
      expect(pathOf({ site_id: id }, usageStatsInput)).toEqual(['site_id']);
    }
    for (const limit of ['', '0', '101', 'many', '1.5', -1]) {
      expect(pathOf({ limit }, usagePathsInput)).toEqual(['limit']);
    }
  });

  it('is returned or rejected for any input', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
      fc
        .tuple(fc.date({ noInvalidDate: true }), fc.integer({ min: -1439, max: 1439 }))
        .map(([date, minutes]) => date.toISOString().replace('Z', toOffset(minutes))),
    );
    const optional = fc.option(texts, { nil: undefined });
    fc.assert(
      fc.property(optional, optional, (start_date, end_date) => {
        const parsed = usageRangeInput.safeParse({ start_date, end_date });
        if (!parsed.success) return;
        try {
          const { start, end } = requireRange(parsed.data, NOW);
          expect(start).toBeLessThan(end);
          expect(formatDay(start)).toMatch(/^\d{4}-\d\d-\d\d$/);
        } catch (error) {
          expect(toAppError(error).code).toBe('invalid_input');
        }
      }),
      { numRuns: 500 },
    );
  });
});

function toOffset(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
