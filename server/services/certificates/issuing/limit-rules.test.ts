import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '#server/durations.ts';
import { type Attempt, limitEndsAt, type Wish } from './limit-rules.ts';

const NOW = Date.UTC(2026, 2, 10);
const LETS_ENCRYPT = 'acme-v02.api.letsencrypt.org';

const wish: Wish = {
  organizationId: 'ours',
  domainName: 'www.example.ca',
  registeredDomain: 'example.ca',
  isRenewal: false,
  isCalledFor: false,
};
const attempts = (count: number, values: Partial<Attempt>, everyMs = MINUTE_MS): Attempt[] =>
  Array.from({ length: count }, (_, index) => ({
    organization_id: `organization ${index}`,
    domain_name: `h${index}.example.ca`,
    registered_domain: 'example.ca',
    outcome: 'issued' as const,
    is_renewal: 0,
    at: NOW - index * everyMs,
    ...values,
  }));
const endsAt = (made: Attempt[], wanted: Partial<Wish> = {}, title = LETS_ENCRYPT) =>
  limitEndsAt(made, { ...wish, ...wanted }, title, NOW);

describe('the limits of an authority', () => {
  it('allow the first request', () => {
    expect(endsAt([])).toBeNull();
  });

  it('count the new certificates of a registered domain in a week, and ease when the oldest leaves it', () => {
    const made = attempts(47, {}, HOUR_MS);
    expect(endsAt(made.slice(0, 46))).toBeNull();
    expect(endsAt(made)).toBe(NOW - 46 * HOUR_MS + WEEK_MS);
    expect(endsAt(made, { registeredDomain: 'other.ca' })).toBeNull();
  });

  it('neither count renewals towards a domain nor delay them', () => {
    expect(endsAt(attempts(60, { is_renewal: 1 }))).toBeNull();
    expect(endsAt(attempts(60, {}), { isRenewal: true })).toBeNull();
  });

  it('count certificates of the same name in a week, unless the authority called for the renewal', () => {
    const made = attempts(4, { domain_name: 'www.example.ca' }, DAY_MS);
    expect(endsAt(made)).toBe(NOW - 3 * DAY_MS + WEEK_MS);
    expect(endsAt(made, { isRenewal: true })).toBe(NOW - 3 * DAY_MS + WEEK_MS);
    expect(endsAt(made, { isRenewal: true, isCalledFor: true })).toBeNull();
  });

  it('count failed validations of a name in an hour, whoever requested the order', () => {
    const made = attempts(4, { domain_name: 'www.example.ca', outcome: 'failed' });
    expect(endsAt(made, { isRenewal: true, isCalledFor: true })).toBe(NOW - 3 * MINUTE_MS + HOUR_MS);
    expect(endsAt(made, { domainName: 'api.example.ca' })).toBeNull();
  });

  it('count the orders of the account in three hours', () => {
    const made = attempts(280, { outcome: 'ordered', registered_domain: 'elsewhere.ca' }, 1000);
    const renewal = { isRenewal: true };
    expect(endsAt(made, renewal)).toBe(NOW - 279_000 + 3 * HOUR_MS);
    expect(endsAt(made.slice(1), renewal)).toBeNull();
    expect(endsAt(made, { isRenewal: true, isCalledFor: true })).toBeNull();
  });

  it('keep some of those orders for renewals', () => {
    const made = attempts(220, { outcome: 'ordered', registered_domain: 'elsewhere.ca' }, 1000);
    expect(endsAt(made)).toBe(NOW - 219_000 + 3 * HOUR_MS);
    expect(endsAt(made.slice(1))).toBeNull();
    expect(endsAt(made, { isRenewal: true })).toBeNull();
  });

  it('let one organization use up only some of them, however many domains it has', () => {
    const made = attempts(80, { outcome: 'ordered', registered_domain: 'elsewhere.ca' }, 1000).map(
      (attempt) => ({ ...attempt, organization_id: 'ours' }),
    );
    expect(endsAt(made)).toBe(NOW - 79_000 + 3 * HOUR_MS);
    expect(endsAt(made, {}, 'ca.example.net')).not.toBeNull();
    expect(endsAt(made.slice(1))).toBeNull();
    expect(endsAt(made, { organizationId: 'theirs' })).toBeNull();
    expect(endsAt(made, { organizationId: null })).toBeNull();
    expect(endsAt(made, { isRenewal: true })).toBeNull();
  });

  it('leave some for an organization without any, when others with many have used nearly all', () => {
    const byThree = (wanted: number) =>
      attempts(wanted, { outcome: 'ordered', registered_domain: 'elsewhere.ca' }, 1000).map(
        (attempt, index) => ({ ...attempt, organization_id: ['ours', 'theirs', 'a third'][index % 3] ?? '' }),
      );
    expect(endsAt(byThree(162))).toBeNull();
    expect(endsAt(byThree(165))).toBe(NOW - 162_000 + 3 * HOUR_MS);
    expect(endsAt(byThree(165), { organizationId: 'a newcomer' })).toBeNull();
    expect(endsAt(byThree(165), { isRenewal: true })).toBeNull();
    expect(endsAt(byThree(213), { isRenewal: true })).not.toBeNull();
    expect(endsAt(byThree(213), { isRenewal: true, isCalledFor: true })).toBeNull();
  });

  it('of Let’s Encrypt apply only to it: not to its staging server, not to one’s own', () => {
    const made = attempts(300, {}, 0);
    expect(endsAt(made)).not.toBeNull();
    expect(endsAt(made, {}, 'acme-staging-v02.api.letsencrypt.org')).toBeNull();
    expect(endsAt(made, {}, 'ca.example.net')).toBeNull();
    expect(endsAt(made, {}, 'notletsencrypt.org')).toBeNull();
  });

  it('name a time at which the request is allowed', () => {
    const attempt = fc.record({
      organization_id: fc.constantFrom('ours', 'theirs', null),
      domain_name: fc.constantFrom('www.example.ca', 'a.example.ca'),
      registered_domain: fc.constantFrom('example.ca', 'other.ca'),
      outcome: fc.constantFrom('ordered' as const, 'issued' as const, 'failed' as const),
      is_renewal: fc.constantFrom(0, 1),
      at: fc.oneof(
        fc.integer({ min: NOW - 8 * DAY_MS, max: NOW }),
        fc.integer({ min: NOW - 3 * HOUR_MS, max: NOW }),
      ),
    });
    const many = fc.array(attempt, { maxLength: 400, size: 'max' });
    let limited = 0;
    const property = fc.property(many, fc.boolean(), (made, isRenewal) => {
      const end = endsAt(made, { isRenewal });
      if (end === null) return;
      limited += 1;
      expect(end).toBeGreaterThan(NOW);
      expect(end).toBeLessThanOrEqual(NOW + WEEK_MS);
      expect(limitEndsAt(made, { ...wish, isRenewal }, LETS_ENCRYPT, end)).toBeNull();
    });
    fc.assert(property);
    expect(limited).toBeGreaterThan(0);
  });
});
