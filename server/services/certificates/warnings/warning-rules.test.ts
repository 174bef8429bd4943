import { describe, expect, it } from 'vitest';
import { isWarningDue, stageAt } from './warning-rules.ts';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const bundle = (daysLeft: number, changes: Partial<Parameters<typeof isWarningDue>[0]> = {}) => ({
  valid_until: NOW + daysLeft * DAY,
  dns_problem_since: null,
  attempts: 0,
  warned_at: null,
  ...changes,
});
const ago = (days: number) => NOW - days * DAY;

describe('a warning', () => {
  it('is due when a record has been wrong for a day, weeks before the end', () => {
    expect(isWarningDue(bundle(60, { dns_problem_since: ago(0.9) }), NOW)).toBe(false);
    expect(isWarningDue(bundle(60, { dns_problem_since: ago(1) }), NOW)).toBe(true);
    expect(isWarningDue(bundle(60), NOW)).toBe(false);
  });

  it('is due when renewals keep failing near the end, and when the certificate has expired', () => {
    expect(isWarningDue(bundle(13, { attempts: 3 }), NOW)).toBe(true);
    expect(isWarningDue(bundle(13, { attempts: 2 }), NOW)).toBe(false);
    expect(isWarningDue(bundle(15, { attempts: 9 }), NOW)).toBe(false);
    expect(isWarningDue(bundle(0), NOW)).toBe(true);
    expect(isWarningDue(bundle(-31), NOW)).toBe(false);
  });

  it('is sent once a week, and once more when the end has come a stage nearer', () => {
    const wrong = { dns_problem_since: ago(50) };
    expect(isWarningDue(bundle(60, { ...wrong, warned_at: ago(6.9) }), NOW)).toBe(false);
    expect(isWarningDue(bundle(60, { ...wrong, warned_at: ago(7) }), NOW)).toBe(true);
    expect(isWarningDue(bundle(13, { ...wrong, warned_at: ago(2) }), NOW)).toBe(true);
    expect(isWarningDue(bundle(2.9, { ...wrong, warned_at: ago(0.2) }), NOW)).toBe(true);
    expect(isWarningDue(bundle(2.9, { ...wrong, warned_at: ago(0.05) }), NOW)).toBe(false);
    expect(isWarningDue(bundle(-0.1, { warned_at: ago(1) }), NOW)).toBe(true);
  });

  it('does not wait for what a clock that was ahead has noted', () => {
    expect(isWarningDue(bundle(60, { dns_problem_since: ago(-365) }), NOW)).toBe(true);
    expect(isWarningDue(bundle(13, { attempts: 3, warned_at: ago(-365) }), NOW)).toBe(true);
  });

  it('knows how near the end is', () => {
    expect([30, 14, 13.9, 3, 2.9, 0, -1].map((days) => stageAt(NOW + days * DAY, NOW))).toEqual([
      'early',
      'early',
      'soon',
      'soon',
      'last',
      'expired',
      'expired',
    ]);
  });
});
