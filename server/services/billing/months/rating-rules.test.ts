import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CURRENT_PRICES,
  GB_MONTH_BYTE_HOURS,
  isPriceVersion,
  type Prices,
  priceVersionIn,
  printedRateMillicents,
  rateCents,
  roundHalfUp,
  toCents,
  USAGE_KINDS,
  unitPriceOf,
} from './rating-rules.ts';

const PRICES: Prices = { version: CURRENT_PRICES, storageMillicents: 2_300 };
/** Far beyond what one organization can have, within what an amount can hold. */
const quantities = fc.bigInt({ min: 0n, max: 2n ** 42n });

describe('a rated line', () => {
  it('is within half a cent of the exact price, and half a cent rounds up', () => {
    fc.assert(
      fc.property(fc.constantFrom(...USAGE_KINDS), quantities, (kind, quantity) => {
        const { num, den } = unitPriceOf(kind, PRICES);
        // Compared without dividing: 2·den·cents against 2·quantity·num, half a cent being den.
        const distance = 2n * den * BigInt(rateCents(kind, quantity, PRICES)) - 2n * quantity * num;
        expect(distance > -den && distance <= den).toBe(true);
      }),
    );
  });

  it('is the same in whatever order and batches the usage arrived', () => {
    fc.assert(
      fc.property(fc.array(quantities, { maxLength: 50 }), fc.nat(), (batches, seed) => {
        const sum = (list: bigint[]) => list.reduce((all, each) => all + each, 0n);
        const turned = [
          ...batches.slice(seed % (batches.length + 1)),
          ...batches.slice(0, seed % (batches.length + 1)),
        ];
        expect(rateCents('bandwidth', sum(turned))).toBe(rateCents('bandwidth', sum(batches)));
      }),
    );
  });

  it('never costs less for more', () => {
    fc.assert(
      fc.property(fc.constantFrom(...USAGE_KINDS), quantities, quantities, (kind, one, more) => {
        expect(rateCents(kind, one + more, PRICES)).toBeGreaterThanOrEqual(rateCents(kind, one, PRICES));
      }),
    );
  });

  it('costs what the price list says', () => {
    const gigabyte = 2n ** 30n;
    expect(rateCents('site', 3n)).toBe(900);
    expect(rateCents('endpoint', 3n)).toBe(600);
    expect(rateCents('bandwidth', 100n * gigabyte)).toBe(1000);
    expect(rateCents('requests', 2_500_000n)).toBe(250);
    expect(USAGE_KINDS.map((kind) => printedRateMillicents(kind, PRICES))).toEqual([
      300_000, 200_000, 10_000, 100_000, 2_300,
    ]);
  });

  it('costs for storage what is set, by the byte-hour, and nothing by default', () => {
    const month = BigInt(GB_MONTH_BYTE_HOURS);
    expect(rateCents('storage', 1_000n * month, PRICES)).toBe(2_300);
    // Half a cent: 5/23 of a GB for a month.
    const half = (month * 5n) / 23n;
    expect([rateCents('storage', half, PRICES), rateCents('storage', half + 1n, PRICES)]).toEqual([0, 1]);
    expect(rateCents('storage', 1_000n * month)).toBe(0);
  });

  it('rounds correctly at one byte and at one request', () => {
    // Half a cent of bandwidth is 2^30/20 bytes, which is not an integer.
    expect(rateCents('bandwidth', 53_687_091n)).toBe(0);
    expect(rateCents('bandwidth', 53_687_092n)).toBe(1);
    expect(rateCents('requests', 4_999n)).toBe(0);
    expect(rateCents('requests', 5_000n)).toBe(1);
  });

  it('bills a month of small hours that would each round to zero', () => {
    const hours = 744n;
    expect(rateCents('bandwidth', 43_000_000n)).toBe(0);
    expect(rateCents('bandwidth', 43_000_000n * hours)).toBe(298);
  });

  it('prices ten petabytes to the cent', () => {
    expect(rateCents('bandwidth', 10n * 2n ** 50n)).toBe(104_857_600);
  });
});

describe('money', () => {
  it('rounds half a cent away from zero, so that a credit mirrors a charge', () => {
    expect([
      roundHalfUp(5n, 10n),
      roundHalfUp(-5n, 10n),
      roundHalfUp(4n, 10n),
      roundHalfUp(-4n, 10n),
    ]).toEqual([1n, -1n, 0n, 0n]);
  });

  it('throws beyond the precision of a number', () => {
    expect(toCents(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => toCents(BigInt(Number.MAX_SAFE_INTEGER) + 1n)).toThrow(RangeError);
  });

  it('finds price tables only by name', () => {
    expect(isPriceVersion(CURRENT_PRICES)).toBe(true);
    expect(isPriceVersion('toString')).toBe(false);
  });
});

describe('the prices of a month', () => {
  it('are those of the month that is billed, however late it is closed', () => {
    const versions = ['2026-01', '2026-09', '2027-02'];
    const at = (year: number, month: number) => priceVersionIn({ year, month }, versions);
    expect([at(2025, 12), at(2026, 8), at(2026, 9), at(2027, 1), at(2027, 2)]).toEqual([
      '2026-01',
      '2026-01',
      '2026-09',
      '2026-09',
      '2027-02',
    ]);
    expect(priceVersionIn({ year: 2026, month: 3 })).toBe(CURRENT_PRICES);
  });
});
