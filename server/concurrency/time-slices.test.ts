import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SLICE_MS, TimeSlices } from './time-slices.ts';

/** Milliseconds that all work has taken so far: on this clock, only work takes time. */
let worked = 0;
beforeEach(() => {
  worked = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => worked);
});
afterEach(() => vi.restoreAllMocks());

/** Steps of a millisecond each. */
function* steps(count: number): Generator<void, number, undefined> {
  for (let step = 0; step < count; step += 1) {
    worked += 1;
    yield;
  }
  return count;
}

/** Returns for how long the event loop was blocked at most from now on. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = worked;
  let isOver = false;
  const look = () => {
    longest = Math.max(longest, worked - last);
    last = worked;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work;
  isOver = true;
  return longest;
}

describe('long work in slices', () => {
  it('never blocks the event loop for more than one slice, even when there is much of it', async () => {
    const slices = new TimeSlices();
    const works = Array.from({ length: 10 }, (_, index) =>
      slices.begin(`key ${index % 3}`).run(steps(10 * SLICE_MS)),
    );
    expect(await longestBlock(Promise.all(works))).toBe(SLICE_MS);
    expect(await Promise.all(works)).toEqual(works.map(() => 10 * SLICE_MS));
  });

  it('alternates between keys', async () => {
    const slices = new TimeSlices();
    const ended: string[] = [];
    const begin = (key: string) =>
      slices
        .begin(key)
        .run(steps(3 * SLICE_MS))
        .then(() => ended.push(key));
    await Promise.all([...Array.from({ length: 6 }, () => begin('many')), begin('one')]);
    expect(ended.indexOf('one')).toBeLessThan(ended.length - 1);
  });
});
