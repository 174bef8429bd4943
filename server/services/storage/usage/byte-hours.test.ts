import { describe, expect, it } from 'vitest';
import { byteHoursByDay } from './byte-hours.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const total = (days: Map<number, number>) => [...days.values()].reduce((sum, hours) => sum + hours, 0);

describe('byte-hours', () => {
  it('are bytes times hours, day by day', () => {
    expect([...byteHoursByDay([{ bytes: 10, since: 22 * HOUR }], 2 * DAY + HOUR)]).toEqual([
      [0, 20],
      [DAY, 240],
      [2 * DAY, 10],
    ]);
  });

  it('end with removed bytes', () => {
    const stored = [
      { bytes: 10, since: 0 },
      { bytes: -10, since: 90 * 60_000 },
    ];
    expect([...byteHoursByDay(stored, 5 * HOUR)]).toEqual([[0, 15]]);
  });

  it('are the same in whatever order and batches they are added up', () => {
    const changes = Array.from({ length: 200 }, (_, index) => ({
      bytes: ((index * 7_919) % 1_000) - 300,
      since: (index * 104_729) % (3 * DAY),
    }));
    const whole = total(byteHoursByDay(changes, 4 * DAY));
    const reversed = total(byteHoursByDay(changes.toReversed(), 4 * DAY));
    expect(reversed).toBeCloseTo(whole, 6);
    const half = changes.slice(0, 100);
    const base = half.reduce((sum, { bytes }) => sum + bytes, 0);
    const portions =
      total(byteHoursByDay(half, 3 * DAY)) +
      total(byteHoursByDay([{ bytes: base, since: 3 * DAY }, ...changes.slice(100)], 4 * DAY));
    expect(portions).toBeCloseTo(whole, 6);
  });

  it('exclude what begins later', () => {
    expect(byteHoursByDay([{ bytes: 5, since: 10 }], 10).size).toBe(0);
  });
});
