import { expect, it } from 'vitest';
import { chartTicks } from './chart-ticks.ts';

const KB = 1024;
const MB = 1024 * KB;

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [12, [0, 5, 10, 15]],
  [4321, [0, 1000, 2000, 3000, 4000, 5000]],
  [40_300, [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
])('an axis up to %d counts in round steps', (highest, ticks) => {
  expect(chartTicks(highest, 'count')).toEqual(ticks);
});

it.each([
  [0, [0, 1]],
  [700, [0, 256, 512, 768]],
  [1500, [0, 512, 1024, 1536]],
  [5000, [0, KB, 2 * KB, 3 * KB, 4 * KB, 5 * KB]],
  [70_000, [0, 16 * KB, 32 * KB, 48 * KB, 64 * KB, 80 * KB]],
  [3 * MB, [0, MB, 2 * MB, 3 * MB]],
])('an axis up to %d bytes has steps that are powers of two', (highest, ticks) => {
  expect(chartTicks(highest, 'bytes')).toEqual(ticks);
});

it('the axis reaches every value, in few steps', () => {
  for (let highest = 1; highest < 1e15; highest = highest * 1.7 + 1) {
    for (const unit of ['count', 'bytes'] as const) {
      const ticks = chartTicks(highest, unit);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
      expect(ticks.at(-2)).toBeLessThan(highest);
    }
  }
});
