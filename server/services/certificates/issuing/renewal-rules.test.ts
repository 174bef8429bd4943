import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { renewalMoment, replannedRenewal } from './renewal-rules.ts';

const NOW = Date.UTC(2026, 2, 1);
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the time of a renewal', () => {
  const lifetime = fc.integer({ min: HOUR_MS, max: 400 * DAY_MS });

  it('leaves at least a third of the lifetime, whatever it is', () => {
    const property = fc.property(lifetime, random, (ms, dice) => {
      const validity = { validFrom: NOW, validUntil: NOW + ms, issuedAt: NOW };
      const at = renewalMoment(validity, null, NOW, dice);
      expect(at).toBeGreaterThan(NOW);
      expect(validity.validUntil - at).toBeGreaterThanOrEqual(Math.floor(ms / 3) - 1);
      expect(validity.validUntil - at).toBeLessThanOrEqual(Math.ceil(ms * 0.7));
    });
    fc.assert(property);
  });

  it('is within the window of the authority', () => {
    const day = fc.integer({ min: 1, max: 80 });
    const property = fc.property(day, fc.integer({ min: 0, max: 5 }), random, (start, length, dice) => {
      const window = { start: NOW + start * DAY_MS, end: NOW + (start + length) * DAY_MS };
      const at = renewalMoment(
        { validFrom: NOW, validUntil: NOW + 90 * DAY_MS, issuedAt: NOW },
        window,
        NOW,
        dice,
      );
      expect(at).toBeGreaterThanOrEqual(window.start);
      expect(at).toBeLessThanOrEqual(window.end + 1);
    });
    fc.assert(property);
  });

  it('is now when the window has passed, but not right after the issue', () => {
    const window = { start: NOW - 10 * DAY_MS, end: NOW - 9 * DAY_MS };
    const validity = { validFrom: NOW - 20 * DAY_MS, validUntil: NOW + 70 * DAY_MS };
    expect(renewalMoment({ ...validity, issuedAt: NOW - 20 * DAY_MS }, window, NOW, 0.5)).toBe(NOW);
    expect(renewalMoment({ ...validity, issuedAt: NOW }, window, NOW, 0.5)).toBe(NOW + HOUR_MS);
  });

  it('stays as planned while it is within the window of the authority', () => {
    const window = { start: NOW + 50 * DAY_MS, end: NOW + 60 * DAY_MS };
    const validity = { validFrom: NOW, validUntil: NOW + 90 * DAY_MS, issuedAt: NOW };
    const planned = NOW + 59 * DAY_MS;
    expect(replannedRenewal(planned, validity, window, NOW, 0)).toBe(planned);
    expect(replannedRenewal(window.end + 1, validity, window, NOW, 0)).toBe(window.start);
    expect(replannedRenewal(null, validity, window, NOW, 0)).toBe(window.start);
  });
});
