import { describe, expect, it } from 'vitest';
import { nextInspectionAt } from './schedule-rules.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;

function delay(
  ageMs: number,
  changes: Partial<Parameters<typeof nextInspectionAt>[0]> = {},
  random = 0.5,
): number {
  const bundle = {
    created_at: NOW - ageMs,
    issued_at: null,
    dns_problem_since: null,
    endpoint_id: 'endpoint',
    isRight: false,
    isUnanswered: false,
    ...changes,
  };
  return nextInspectionAt(bundle, NOW, random) - NOW;
}

describe('the next inspection', () => {
  it('follows after ten seconds, then minutes, then an hour, after a month a day', () => {
    expect([0, 60 * SECOND, HOUR, 10 * HOUR, 5 * DAY, 31 * DAY].map((age) => delay(age))).toEqual([
      10 * SECOND,
      10 * SECOND,
      360 * SECOND,
      HOUR,
      HOUR,
      DAY,
    ]);
  });

  it('is a day later when everything is correct and the certificate is there, spread over time', () => {
    const settled = { issued_at: NOW - HOUR, isRight: true };
    expect(delay(2 * DAY, settled)).toBe(DAY);
    expect(delay(2 * DAY, settled, 0)).toBeCloseTo(0.8 * DAY);
    expect(delay(2 * DAY, settled, 1)).toBeCloseTo(1.2 * DAY);
    expect(delay(2 * DAY, { ...settled, isUnanswered: true })).toBe(HOUR);
  });

  it('is soon again after a record was lost, and while a certificate waits for traffic', () => {
    const lost = { issued_at: NOW - 90 * DAY, dns_problem_since: NOW - 60 * SECOND };
    expect(delay(100 * DAY, lost)).toBe(10 * SECOND);
    expect(delay(100 * DAY, { issued_at: NOW - 600 * SECOND })).toBe(60 * SECOND);
  });

  it('of the platform’s own name is minutes away, for as long as it takes', () => {
    const platform = { endpoint_id: null };
    expect([0, HOUR, 5 * DAY, 400 * DAY].map((age) => delay(age, platform))).toEqual([
      10 * SECOND,
      300 * SECOND,
      300 * SECOND,
      300 * SECOND,
    ]);
    expect(delay(5 * DAY, { ...platform, issued_at: NOW - DAY, isRight: true })).toBe(DAY);
  });

  it('is never in the past, even when clocks disagree', () => {
    expect(delay(-HOUR, {}, 0)).toBe(8 * SECOND);
  });
});
