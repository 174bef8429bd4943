import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taxCents } from '../invoices/invoice-rules.ts';
import { CURRENT_PRICES, type Prices, rateCents } from '../months/rating-rules.ts';
import {
  ALERT_SHARES,
  capOf,
  cutsOf,
  type Limit,
  type LimitedUsage,
  sharesReached,
  spentOn,
  subtotalWithin,
  totalOf,
} from './limit-rules.ts';

const GB = 2n ** 30n;
const usage: LimitedUsage = {
  resources: [
    { id: 'blog', type: 'site' },
    { id: 'shop', type: 'site' },
    { id: 'www', type: 'endpoint' },
  ],
  served: [
    { endpoint_id: null, site_id: 'blog', bytes: String(10n * GB), requests: '1000000' },
    { endpoint_id: 'www', site_id: 'blog', bytes: String(100n * GB), requests: '2000000' },
    { endpoint_id: null, site_id: 'shop', bytes: String(5n * GB), requests: '0' },
  ],
};
const sumOf = (name: 'bytes' | 'requests') => usage.served.reduce((all, row) => all + BigInt(row[name]), 0n);
const prices: Prices = { version: CURRENT_PRICES, storageMillicents: 2_300 };
const lines = {
  site: 600,
  endpoint: 200,
  bandwidth: rateCents('bandwidth', sumOf('bytes')),
  requests: rateCents('requests', sumOf('requests')),
  storage: 150,
};
const limit = (scope: Limit['scope'], resource_id: string, capCents: number): Limit => ({
  scope,
  resource_id,
  capCents,
  action: 'stop',
});

const served = (endpoint_id: string, site_id: string, gigabytes: bigint) => ({
  ...{ endpoint_id, site_id, bytes: String(gigabytes * GB), requests: '0' },
});

describe('what a resource has spent', () => {
  it('is itself and what it served; a site has all its hostnames', () => {
    expect(spentOn(usage, 'endpoint', 'www', prices)).toEqual({
      site: 0,
      endpoint: 200,
      bandwidth: 1_000,
      requests: 200,
      storage: 0,
    });
    expect(spentOn(usage, 'site', 'blog', prices)).toEqual({
      site: 300,
      endpoint: 0,
      bandwidth: 1_100,
      requests: 300,
      storage: 0,
    });
    expect(totalOf(spentOn(usage, 'site', 'unknown', prices))).toBe(0);
  });

  it('reaches shares of a limit one after the other', () => {
    expect([0, 499, 500, 750, 899, 1_000, 5_000].map((spent) => sharesReached(spent, 1_000).length)).toEqual([
      0, 0, 1, 2, 2, 4, 4,
    ]);
    expect(sharesReached(0, 0)).toEqual([...ALERT_SHARES]);
  });
});

/** A month of which everything is as above, but for what a test changes. */
const month = { usage, lines, otherCents: 0, ratesMilli: [], prices };

describe('a limit that stops', () => {
  it('cuts traffic first, then what exists, and no more than there is', () => {
    expect(cutsOf(month, [limit('endpoint', 'www', 900)])).toEqual([{ kind: 'bandwidth', cents: 500 }]);
    expect(cutsOf(month, [limit('endpoint', 'www', 0)])).toEqual([
      { kind: 'bandwidth', cents: 1_000 },
      { kind: 'requests', cents: 200 },
      { kind: 'endpoint', cents: 200 },
    ]);
    expect(cutsOf(month, [{ ...limit('endpoint', 'www', 0), action: 'notify' }])).toEqual([]);
  });

  it('never cuts what is stored: everything else is cut to what storage leaves', () => {
    const cap = lines.storage + lines.site + 50;
    expect(cutsOf(month, [limit('organization', 'acme', cap)])).toEqual([
      { kind: 'bandwidth', cents: lines.bandwidth },
      { kind: 'requests', cents: lines.requests },
      { kind: 'endpoint', cents: 150 },
    ]);
    // $20 of storage under a limit of $10: with HST of 15 percent, $23 are billed, and nothing else.
    const large = { ...lines, storage: 2_000 };
    const cuts = cutsOf({ ...month, lines: large, ratesMilli: [15_000] }, [
      limit('organization', 'acme', 1_000),
    ]);
    expect(cuts).toEqual([
      { kind: 'bandwidth', cents: lines.bandwidth },
      { kind: 'requests', cents: lines.requests },
      { kind: 'endpoint', cents: 200 },
      { kind: 'site', cents: 600 },
    ]);
  });

  it('is not applied twice when both an endpoint and its site have one', () => {
    const both = [limit('endpoint', 'www', 900), limit('site', 'blog', 1_000)];
    const cuts = cutsOf(month, both);
    expect(cuts.reduce((sum, { cents }) => sum + cents, 0)).toBe(500 + (1_700 - 500 - 1_000));
  });

  it('of an endpoint counts for the sites that it has served, each by its traffic', () => {
    const shared = { ...usage, served: ['blog', 'shop'].map((site_id) => served('www', site_id, 100n)) };
    const cents = { ...lines, bandwidth: 2_000, requests: 0 };
    const limits = [limit('endpoint', 'www', 500), limit('site', 'shop', 400)];
    // Of the 1,700 cents of the endpoint, 850 are the shop's, which is left with 450.
    expect(cutsOf({ ...month, usage: shared, lines: cents }, limits)).toEqual([
      { kind: 'bandwidth', cents: 1_750 },
    ]);
  });

  it('of an endpoint that ends its own price leaves the limit of its site as it is', () => {
    const only = { ...usage, served: [served('www', 'blog', 100n)] };
    const cents = { ...lines, bandwidth: 1_000, requests: 0 };
    const limits = [limit('endpoint', 'www', 0), limit('site', 'blog', 250)];
    expect(cutsOf({ ...month, usage: only, lines: cents }, limits)).toEqual([
      { kind: 'bandwidth', cents: 1_000 },
      { kind: 'endpoint', cents: 200 },
      { kind: 'site', cents: 50 },
    ]);
  });

  it('of an organization holds with taxes, whatever its amount, what is stored and the other invoice items', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 5_000 }),
        fc.constantFrom([], [5_000], [5_000, 9_975], [15_000], [5_000, 7_000]),
        (cap, other, storage, rates) => {
          const all = { ...lines, storage };
          const cuts = cutsOf({ ...month, lines: all, otherCents: other, ratesMilli: rates }, [
            limit('organization', 'acme', cap),
          ]);
          const subtotal = totalOf(all) + other - cuts.reduce((sum, { cents }) => sum + cents, 0);
          const withTaxes = (cents: number) =>
            rates.reduce((sum, rate) => sum + taxCents(BigInt(cents), rate), cents);
          // Beyond what is stored and the other items, nothing is billed above the limit.
          expect(withTaxes(subtotal) <= cap || subtotal === storage + other).toBe(true);
          // And nothing is cut that fits under it.
          expect(cuts.length === 0 || withTaxes(subtotal + 1) > cap).toBe(true);
          expect(cuts.every(({ kind, cents }) => cents > 0 && kind !== 'storage')).toBe(true);
        },
      ),
    );
  });

  it('leaves as much as fits, to the cent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000 }),
        fc.constantFrom([], [5_000, 9_975], [13_000]),
        (cap, rates) => {
          const totalWith = (subtotal: number) =>
            rates.reduce((sum, rate) => sum + taxCents(BigInt(subtotal), rate), subtotal);
          const most = subtotalWithin(cap, rates);
          expect(totalWith(most)).toBeLessThanOrEqual(cap);
          expect(totalWith(most + 1)).toBeGreaterThan(cap);
        },
      ),
    );
  });
});

it('never undoes what was spent before it was set, and holds from the next month on', () => {
  const set = { amount_cents: 100, spent_cents: 700, set_year: 2026, set_month: 3 };
  expect([capOf(set, { year: 2026, month: 3 }), capOf(set, { year: 2026, month: 4 })]).toEqual([700, 100]);
});
