import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMonths } from './month-rules.ts';
import {
  comingStoragePrice,
  type NotedStoragePrice,
  noteStoragePrice,
  storagePriceIn,
} from './storage-price-rules.ts';

const MARCH = { year: 2026, month: 3 };
const APRIL = { year: 2026, month: 4 };

/** Prices that were set one after the other, each in a month. */
const note = (...set: [month: number, millicents: number][]) =>
  set.reduce<readonly NotedStoragePrice[]>(
    (noted, [month, millicents]) => noteStoragePrice(noted, millicents, { year: 2026, month }, false),
    [],
  );

describe('a price of storage', () => {
  it('is none until one is set', () => {
    expect(storagePriceIn([], MARCH)).toBe(0);
    expect(note([3, 0])).toEqual([]);
  });

  it('holds from the next month on, since nobody knew it when they stored something', () => {
    const noted = note([3, 2_300]);
    expect([storagePriceIn(noted, MARCH), storagePriceIn(noted, APRIL)]).toEqual([0, 2_300]);
    expect(comingStoragePrice(noted, MARCH)).toEqual({ ...APRIL, millicents: 2_300 });
    expect(comingStoragePrice(noted, APRIL)).toBeNull();
  });

  it('holds at once where billing begins with it', () => {
    expect(storagePriceIn(noteStoragePrice([], 2_300, MARCH, true), MARCH)).toBe(2_300);
  });

  it('becomes lower at once and higher with the next month', () => {
    const noted = note([1, 2_000], [3, 1_000], [3, 3_000]);
    expect([storagePriceIn(noted, MARCH), storagePriceIn(noted, APRIL)]).toEqual([1_000, 3_000]);
    expect(storagePriceIn(noted, { year: 2026, month: 2 })).toBe(2_000);
  });

  it('that was set by mistake and taken back in the same month was never there', () => {
    expect(storagePriceIn(note([3, 2_300], [3, 0]), APRIL)).toBe(0);
  });

  it('of a month that is over never changes, and a running one never gets dearer', () => {
    const changes = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(0, 1_000, 2_300, 5_000)), { maxLength: 80 });
    fc.assert(
      fc.property(changes, (set) => {
        let month = { year: 2026, month: 1 };
        let noted: readonly NotedStoragePrice[] = [];
        for (const [later, millicents] of set) {
          month = addMonths(month, later);
          const past = [-3, -2, -1].map((by) => addMonths(month, by));
          const before = past.map((each) => storagePriceIn(noted, each));
          const running = storagePriceIn(noted, month);
          noted = noteStoragePrice(noted, millicents, month, false);
          expect(past.map((each) => storagePriceIn(noted, each))).toEqual(before);
          expect(storagePriceIn(noted, month)).toBeLessThanOrEqual(running);
          expect(storagePriceIn(noted, addMonths(month, 1))).toBe(millicents);
          expect(noted.length).toBeLessThanOrEqual(48);
        }
      }),
    );
  });
});
