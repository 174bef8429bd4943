import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { CERTIFICATE_PROBLEMS } from '../rules.ts';
import { growingPauses, isFresh, nextAttemptAt } from './issue-rules.ts';

const NOW = Date.UTC(2026, 2, 1);

const random = fc.double({ min: 0, max: 1, noNaN: true });
const attempts = fc.integer({ min: 1, max: 10_000 });
const problem = fc.constantFrom(...CERTIFICATE_PROBLEMS);
const remaining = fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS });

describe('the time of the next attempt', () => {
  it('is never before half a minute and never after twelve hours, unless the authority named one', () => {
    const property = fc.property(problem, attempts, remaining, random, (code, count, left, dice) => {
      const at = nextAttemptAt(
        { problem: code, retryAt: null },
        { attempts: count, validUntil: NOW + left },
        NOW,
        dice,
      );
      expect(at).not.toBeNull();
      expect(Number(at)).toBeGreaterThanOrEqual(NOW + MINUTE_MS / 2);
      expect(Number(at)).toBeLessThanOrEqual(NOW + 12 * HOUR_MS);
    });
    fc.assert(property);
  });

  it('is later with each failure, from a minute to twelve hours', () => {
    const at = (count: number) =>
      nextAttemptAt({ problem: 'refused', retryAt: null }, { attempts: count, validUntil: null }, NOW, 0.5);
    expect([1, 2, 3, 4].map((count) => (at(count) ?? 0) - NOW)).toEqual(
      [1, 2, 4, 8].map((minutes) => minutes * MINUTE_MS),
    );
    expect((at(40) ?? 0) - NOW).toBe(12 * HOUR_MS);
    fc.assert(fc.property(attempts, (count) => Number(at(count)) <= Number(at(count + 1))));
  });

  it('is never before the one that the authority named, and soon after it when nothing is served yet', () => {
    const wait = fc.integer({ min: 1, max: 8 * DAY_MS });
    const property = fc.property(attempts, wait, random, fc.boolean(), (count, ms, dice, isServed) => {
      const failure = { problem: 'authority_limit', retryAt: NOW + ms } as const;
      const bundle = { attempts: count, validUntil: isServed ? NOW + 30 * DAY_MS : null };
      const at = Number(nextAttemptAt(failure, bundle, NOW, dice));
      expect(at).toBeGreaterThanOrEqual(NOW + ms);
      expect(at).toBeLessThanOrEqual(NOW + ms + (isServed ? 3 * HOUR_MS : MINUTE_MS));
    });
    fc.assert(property);
  });

  it('comes sooner as a certificate nears its end, so that many attempts are made before it', () => {
    let now = NOW;
    let made = 0;
    const validUntil = NOW + 3 * DAY_MS;
    while (now < validUntil) {
      made += 1;
      const failure = { problem: 'refused', retryAt: null } as const;
      now = Number(nextAttemptAt(failure, { attempts: 50, validUntil }, now, 0.5));
    }
    expect(made).toBeGreaterThan(20);
    expect(made).toBeLessThan(60);
  });

  it('is unset while a record is missing and nothing can expire', () => {
    const failure = { problem: 'challenge_missing', retryAt: null } as const;
    expect(nextAttemptAt(failure, { attempts: 1, validUntil: null }, NOW, 0)).toBeNull();
    expect(nextAttemptAt(failure, { attempts: 1, validUntil: NOW + DAY_MS }, NOW, 0)).not.toBeNull();
  });
});

describe('a fresh certificate', () => {
  const bundle = { authority: 'a', issued_at: NOW, renew_at: NOW + DAY_MS };

  it('comes from the current authority and is not due', () => {
    expect(isFresh(bundle, 'a', NOW)).toBe(true);
    expect(isFresh(bundle, 'b', NOW)).toBe(false);
    expect(isFresh(bundle, 'a', NOW + DAY_MS)).toBe(false);
    expect(isFresh({ ...bundle, issued_at: null }, 'a', NOW)).toBe(false);
  });
});

describe('growing pauses', () => {
  it('add up to exactly their limit, none longer than the longest', () => {
    const ms = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(ms, ms, ms, (first, longest, bound) => {
        fc.pre(bound / Math.min(first, longest) < 5_000);
        const pauses = [...growingPauses(first, longest, bound)];
        expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeCloseTo(bound, 3);
        expect(Math.max(...pauses)).toBeLessThanOrEqual(longest);
        expect(Math.min(...pauses)).toBeGreaterThan(0);
      }),
    );
  });
});
